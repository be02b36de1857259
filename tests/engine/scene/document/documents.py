"""Documents for property tests: every kind, every float, names and strings as odd as allowed."""

import random

import numpy as np
from hypothesis import strategies as st

from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document import EntityRecord, SceneDoc

COMMON_NAMES = ("Name", "T", "Parent", "Härte", "A.b-c:1", "LongComponentNameThatGoesOn", "100%d")
ODD_CHARACTERS = '\x00\t\n\r\x1f "#\\=[]%,aé東\u2028\x85\x1c🚀'
ODD_FLOATS = (0, 1 << 31, 0x7F800000, 0x7FC00001, 0x7F800001, 1, 0x3F800000, 0x4B800000)
bits = st.integers(0, 0xFFFF_FFFF)


def f32(pattern):
    return np.array([pattern], np.uint32).view(np.float32)[0]


class Maker:
    """Makes random values from one seed; fast, where strategies for whole documents are slow."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def name(self):
        if self.rng.random() < 0.7:
            return self.rng.choice(COMMON_NAMES)
        return "".join(self.rng.choices("abXYé東.%-", k=self.rng.randint(1, 5)))

    def names(self, most):
        return list(dict.fromkeys(self.name() for _ in range(self.rng.randint(0, most))))

    def pattern(self):
        rng = self.rng
        if rng.random() < 0.1:
            return rng.choice(ODD_FLOATS)
        value = np.float32(round(rng.uniform(-100, 100), rng.randint(0, 6)))
        return int(value.view(np.uint32)) if rng.random() < 0.7 else rng.getrandbits(32)

    def text(self):
        rng = self.rng
        if rng.random() < 0.7:
            return f"entity {rng.randint(0, 99)}"
        return "".join(rng.choices(ODD_CHARACTERS, k=rng.randint(0, 6)))

    def value(self, kind):
        rng = self.rng
        if kind is Kind.FLOAT:
            return f32(self.pattern())
        if kind is Kind.INT:
            return rng.choice((rng.randint(-9, 9), rng.getrandbits(63), -(1 << 63)))
        if kind is Kind.BOOL:
            return rng.random() < 0.5
        if kind is Kind.STRING:
            return self.text()
        if kind is Kind.ENTITY:
            return rng.randint(-1, 12)
        patterns = [self.pattern() for _ in range(rng.randint(0, 4))]
        return np.array(patterns, np.uint32).view(np.float32)

    def record(self, name):
        fields = []
        for field_name in self.names(4):
            kind = self.rng.choice(list(Kind))
            fields.append(Field.of(field_name, kind, self.value(kind)))
        return ComponentRecord(name, fields)

    def document(self, entities):
        doc = SceneDoc(self.rng.randint(1, 3))
        shapes = [self.record(name) for name in self.names(8)]
        for _ in range(entities):
            records = {}
            for shape in self.rng.sample(shapes, self.rng.randint(0, len(shapes))):
                is_new = self.rng.random() < 0.2
                record = self.record(shape.name) if is_new else self.refilled(shape)
                records[record.name] = record
            doc.entities.append(EntityRecord(records.values()))
        return doc

    def refilled(self, shape):
        """Return a record of the same layout with other values."""
        fields = []
        for field in shape.fields:
            value = self.value(field.kind)
            if field.kind is Kind.FLOATS:
                patterns = [self.pattern() for _ in field.floats]
                value = np.array(patterns, np.uint32).view(np.float32)
            fields.append(Field.of(field.name, field.kind, value))
        return ComponentRecord(shape.name, fields)


def documents(entities=6):
    """Return a strategy of documents with up to `entities` entities."""
    return st.builds(
        lambda seed, n: Maker(seed).document(n),
        st.integers(0, 1 << 32),
        st.integers(0, entities),
    )
