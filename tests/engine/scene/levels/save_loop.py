"""Saves a level over and over until it is killed; run by `test_killed_while_saving`."""

import sys

from engine.ecs import World
from engine.scene.components import Name
from engine.scene.levels import LevelFile, level_registry

ENTITIES = 3000


def main(path: str) -> None:
    world = World()
    level = LevelFile.open(path, world, level_registry())
    print("ready", flush=True)
    number = 0
    while True:
        number += 1
        for index in range(ENTITIES):
            world.set(level.entity_at(index), Name(f"save {number}"))
        level.save()


if __name__ == "__main__":
    main(sys.argv[1])
