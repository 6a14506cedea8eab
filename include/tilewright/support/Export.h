// What the shared libraries export; all else is hidden in them.
#ifndef TILEWRIGHT_SUPPORT_EXPORT_H
#define TILEWRIGHT_SUPPORT_EXPORT_H

/// Declared in an installed header, and defined in one of the libraries.
#define TILEWRIGHT_API __attribute__((visibility("default")))

/// Exported for the project's own libraries and programs alone. No installed
/// header has it, and it may change in each release.
#define TILEWRIGHT_PRIVATE_API __attribute__((visibility("default")))

#endif // TILEWRIGHT_SUPPORT_EXPORT_H
