"""Random sessions of edits, deletions, returns and saves, on files spelled at random."""

import random

import pytest

from engine.ecs import World
from engine.scene.components import LocalTransform, Name, Order, Parent
from engine.scene.document import read_text, write_text
from engine.scene.document.source import LevelText
from engine.scene.levels import LevelFile, level_registry


def odd_level(rng, count):
    """Return a valid level in careless spelling."""
    end = rng.choice(("\n", "\r\n"))
    lines = ["cinder-scene 2", "# a level", ""]
    for i in range(count):
        if rng.random() < 0.3:
            lines.append(f"# number {i}")
        lines.append(f"entity {i}")
        if rng.random() < 0.15:
            continue
        gap = " " * rng.randint(1, 3)
        lines.append(f'{gap}Name{gap}text="n{i}"')
        if rng.random() < 0.5:
            lines.append(f"\tLocalTransform scale=[1,1,.5] translation=[{i},0x3f800000,+1e1]")
        if i and rng.random() < 0.4:
            lines.append(f"  Parent entity=#{rng.randrange(i)}")
        if rng.random() < 0.3:
            lines += ["  # odd", f"  acme.Thing a=#{rng.randrange(count)} b=[ ] c=.5"]
        if rng.random() < 0.2:
            lines.append("")
    text = end.join(lines)
    return text + rng.choice((end, ""))


class Session:
    def __init__(self, path, rng):
        self.path, self.rng = path, rng
        self.world = World()
        self.level = LevelFile.open(path, self.world, level_registry())
        self.graves = []
        self.touched = set()

    def living(self):
        return self.world.entities()

    def step(self):
        action = self.rng.choice((self.move, self.rename, self.add, self.delete, self.undelete))
        action()

    def pick(self):
        living = self.living()
        entity = self.rng.choice(living) if living else None
        if entity is not None:
            self.touched.add(self.level.index_of(entity))
        return entity

    def move(self):
        entity = self.pick()
        if entity is not None:
            self.world.add(entity, LocalTransform((self.rng.random(), 0, 0)))

    def rename(self):
        entity = self.pick()
        if entity is not None:
            self.world.add(entity, Name(f"r{self.rng.randrange(99)}"))

    def add(self):
        living = self.living()
        parent = self.rng.choice(living) if living else None
        components = [Parent(parent)] if parent is not None else []
        self.world.spawn(Name("new"), Order(self.rng.randrange(9)), *components)

    def delete(self):
        entity = self.pick()
        if entity is None:
            return
        for other in self.living():
            # Whoever refers to it is written anew too.
            self.touched.add(self.level.index_of(other)) if self.refers(other, entity) else None
        self.graves.append((entity, self.world.values(entity)))
        self.world.despawn(entity, reserve=True)

    def refers(self, other, entity):
        index = self.level.index_of(entity)
        doc = self.level.to_doc()
        i = self.level.index_of(other)
        return any(
            f.kind == 5 and f.value == index for c in doc.entities[i].components for f in c.fields
        )

    def undelete(self):
        if self.graves:
            entity, values = self.graves.pop(self.rng.randrange(len(self.graves)))
            self.world.restore(entity, *values)


@pytest.mark.parametrize("seed", range(25))
def test_sessions(tmp_path, seed):
    rng = random.Random(seed)
    path = tmp_path / "a.scene"
    original = odd_level(rng, 14)
    path.write_bytes(original.encode())
    s = Session(path, rng)
    source = LevelText.of(original, len(read_text(original)))
    places = {}
    for _ in range(5):
        for _ in range(rng.randint(1, 4)):
            s.step()
        doc = s.level.to_doc()
        s.level.save()
        saved = path.read_bytes().decode()
        again = read_text(saved)
        assert write_text(read_text(write_text(again))) == write_text(again)
        text = LevelText.of(saved, len(again))
        for i in range(min(source.entity_count, text.entity_count)):
            if i not in s.touched:
                assert text.chunk(i).rstrip() == source.chunk(i).rstrip()
        for entity in s.living():
            assert places.setdefault(entity, s.level.index_of(entity)) == s.level.index_of(entity)
        reopened = LevelFile.open(path, World(), level_registry())
        assert reopened.to_bytes() == path.read_bytes()
        assert [e.components for e in reopened.to_doc().entities] == [
            e.components for e in doc.entities[: len(again)]
        ]


@pytest.mark.parametrize("seed", range(10))
def test_undoing_everything_restores_every_byte(tmp_path, seed):
    rng = random.Random(1000 + seed)
    path = tmp_path / "a.scene"
    original = odd_level(rng, 10).encode()
    path.write_bytes(original)
    s = Session(path, rng)
    before = [(entity, s.world.values(entity)) for entity in s.living()]
    for _ in range(12):
        s.step()
        s.level.save()
    for entity in s.living():
        s.world.despawn(entity, reserve=True)
    for entity, values in before:
        s.world.restore(entity, *values)
    s.level.save()
    assert path.read_bytes() == original
