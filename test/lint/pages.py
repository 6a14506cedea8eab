"""pages.py ROOT: what a page links to exists, headings too, and the index of
docs/ names every page."""
import pathlib
import re
import subprocess
import sys


def anchors(path):
    """The anchors of a page's headings, as they are made of their text."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"),
                              re.M):
        text = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        found.add(text.replace(" ", "-"))
    return found


def links(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), 0,
                  re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "", text)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text)
            if "://" not in link]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [root / name for name in subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"],
        check=True, capture_output=True, text=True).stdout.split()]
    problems, count = [], 0
    for page in pages:
        for link in links(page):
            count += 1
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.exists():
                problems.append(f"{page.relative_to(root)}: {link}: there is no "
                                "such file")
            elif anchor and anchor not in anchors(target):
                problems.append(f"{page.relative_to(root)}: {link}: there is no "
                                "such heading")
    index = {(root / "docs" / link.partition("#")[0]).resolve()
             for link in links(root / "docs/README.md")}
    problems += [f"docs/README.md does not name {page.relative_to(root)}"
                 for page in pages if page.is_relative_to(root / "docs")
                 and page.name != "README.md" and page not in index]
    print("\n".join(problems) or f"{count} links of {len(pages)} pages lead "
          "somewhere")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
