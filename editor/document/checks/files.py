"""Files that are missing or can't be shown, each told once for all that use it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from editor.document.checks.base import LevelCheck
from editor.model.messages import Issue
from engine.assets.library import AssetEntry
from engine.errors import AssetError
from engine.reflect import Entity

_GONE = ": there is no such file"


class FileCheck(LevelCheck):
    """Files that the level names: missing, broken, or without one of their side files."""

    id = "files"

    def issues(self) -> Iterable[Issue]:
        entries = {entry.path: entry for entry in self.level.app.assets.entries()}
        told: set[str] = set()
        found: list[Issue] = []
        for asset in self.level.uses.assets():
            issue = self._missing(asset) or self._broken(asset, entries.get(asset))
            if issue is not None:
                told.add(asset)
                found.append(issue)
            else:
                found += self._incomplete(asset, entries.get(asset))
        return [*found, *self._of_instances(told, entries)]

    def _missing(self, asset: str) -> Issue | None:
        if self.level.is_there(asset):
            return None
        options = tuple(self.level.relink_candidates(asset))
        fix = f"Use {options[0]}" if options else None
        users = tuple(self.level.uses.users(asset))
        why = self._why_gone(asset)
        advice = "put it back, or choose another" if why.endswith(_GONE) else "choose another"
        text = f"{why}; {_used_by(users)}{'' if options else f'; {advice}'}"
        return Issue(users[0], text, fix, self.id, users, asset, options)

    def _why_gone(self, asset: str) -> str:
        try:
            self.level.app.assets.resolve(asset)
        except AssetError as error:
            return str(error)
        return f"{asset}{_GONE}"

    def _broken(self, asset: str, entry: AssetEntry | None) -> Issue | None:
        problem = self.level.app.images.problems.get(asset, "")
        # A lost file that is there again will be read again.
        if entry is not None and not entry.is_lost:
            problem = entry.error or problem
        if not problem:
            return None
        users = tuple(self.level.uses.users(asset))
        return Issue(users[0], f"{problem}; {_used_by(users)}", None, self.id, users, asset)

    def _incomplete(self, asset: str, entry: AssetEntry | None) -> list[Issue]:
        """Return the side files of a model that are not there, each with its URI."""
        if entry is None or entry.asset is None or not entry.asset.missing_files:
            return []
        content = self.level.contents.files.get(asset)
        users = tuple(self.level.uses.users(asset))
        places = entry.asset.missing_files
        told = content.missing if content is not None else ()
        found = []
        for number, place in enumerate(places):
            where = self.level.path_of(place)
            if len(told) == len(places):
                pointer, words = told[number]
                text = f"{asset}: missing file at {pointer}: {words}"
            else:
                text = f"{asset}: missing file: {where} does not exist"
            options = tuple(self.level.files_called(posixpath.basename(where)))
            fix = f"Copy {options[0]} there" if options else None
            found.append(
                Issue(
                    users[0],
                    f"{text}; {_used_by(users)}",
                    fix,
                    self.id,
                    users,
                    options=options,
                    subject=where,
                )
            )
        return found

    def _of_instances(self, told: set[str], entries: dict[str, AssetEntry]) -> Iterable[Issue]:
        """Yield what else is to be said of single instances."""
        level = self.level
        inside = self._inside_levels(told)
        for asset, users in inside.items():
            yield self._missing_inside(asset, tuple(users))
        gone = {user for users in inside.values() for user in users}
        lost = {entry.error for entry in entries.values() if entry.is_lost}
        alike: dict[str, list[Entity]] = {}
        for entity, text in level.app.realiser.issues.items():
            if entity in gone:
                continue
            named = [use.asset for use in level.uses.uses_of(entity) if use.asset in told]
            errors = {entries[asset].error for asset in named if asset in entries}
            is_told = text in errors or any(text.endswith(self._why_gone(a)) for a in named)
            if level.world.alive(entity) and not is_told and text not in lost:
                alike.setdefault(text, []).append(entity)
        for text, users in alike.items():
            more = f"; {_used_by(tuple(users))}" if len(users) > 1 else ""
            yield Issue(users[0], f"{text}{more}", None, self.id, tuple(users))
        for entity, text in level.app.overrides.issues.items():
            parts = [p for p in text.split("; ") if p.partition(":")[0] not in told]
            if parts and level.world.alive(entity):
                yield Issue(entity, "; ".join(parts), None, self.id)

    def _inside_levels(self, told: set[str]) -> dict[str, list[Entity]]:
        """Return what is missing that only placed levels name, with the nodes that show it."""
        level, found = self.level, dict[str, list[Entity]]()
        for entity in level.app.realiser.issues:
            asset = level.asset_of(entity)
            is_inner = asset and asset not in told and level.is_realised(entity)
            if is_inner and not level.uses.count(asset) and not level.is_there(asset):
                found.setdefault(asset, []).append(entity)
        return found

    def _missing_inside(self, asset: str, users: tuple[Entity, ...]) -> Issue:
        options = tuple(self.level.relink_candidates(asset))
        fix = f"Use {options[0]}" if options else None
        levels = list(self.level.other_levels_using(asset))
        where = f"{levels[0]} uses it" if len(levels) == 1 else f"{len(levels)} levels use it"
        text = f"{self._why_gone(asset)}; {where if levels else _used_by(users)}"
        return Issue(users[0], text, fix, self.id, users, asset, options)

    def fix(self, issue: Issue) -> None:
        if issue.asset:
            self.level.relink(issue.asset, issue.options[0], wait=self.level.waits)
        else:
            self.level.copy_file(issue.options[0], issue.subject, wait=self.level.waits)


def _used_by(users: tuple[Entity, ...]) -> str:
    return "1 entity uses it" if len(users) == 1 else f"{len(users):,} entities use it"
