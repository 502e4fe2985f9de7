"""Writes the digests of the programs of shipped skills anew, after one was changed: .venv/bin/python tools/seal_skills.py"""

from __future__ import annotations

from deskcrew.learning.skills.folders import METHOD, SHIPPED, read, sealed


def main() -> None:
    for file in sorted(SHIPPED.glob(f"*/{METHOD}")):
        new = sealed(read(file.parent, "shipped").files)[METHOD]
        if new != file.read_bytes():
            file.write_bytes(new)
            print(f"{file.parent.name}: sealed")


if __name__ == "__main__":
    main()
