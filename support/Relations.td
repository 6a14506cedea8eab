// What a pass keeps of a program's meaning, as docs/verification.md defines it:
// each pass derives from one of these.
#ifndef TILEWRIGHT_SUPPORT_RELATIONS
#define TILEWRIGHT_SUPPORT_RELATIONS

class Relation<string name, string why> {
  string relation = name;
  // Why it is not exact.
  string reason = why;
}
class Exact : Relation<"exact", "">;
class Reassociated<string why> : Relation<"reassociated", why>;
class Near<string bound, string why> : Relation<"near=" # bound, why>;
class Bounded<string why> : Relation<"bounded", why>;

#endif
