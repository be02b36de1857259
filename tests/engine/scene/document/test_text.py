import pytest
from hypothesis import given

from engine.errors import SceneError
from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document import EntityRecord, SceneDoc, read_text, write_text
from engine.scene.document.text_lines import parse_header
from engine.scene.document.text_read import _read_exactly, decode, split_lines
from tests.engine.scene.document.documents import documents


def one_field(kind, value):
    doc = SceneDoc()
    doc.entities.append(EntityRecord([ComponentRecord("A", [Field.of("x", kind, value)])]))
    return doc


@given(documents())
def test_text_comes_back(doc):
    text = write_text(doc)
    again = read_text(text.encode())
    assert again == doc
    assert write_text(again) == text


@given(documents(40))
def test_fast_and_exact_reader_agree(doc):
    text = write_text(doc)
    exact = SceneDoc.from_columns(doc.version, _read_exactly(split_lines(decode(text))))
    assert read_text(text) == exact


def test_many_like_lines_with_odd_ones_between():
    lines = ["cinder-scene 2"]
    for i in range(60):
        lines += [f"entity {i}", f'  Name text="n{i}"', f"  T p=[{i}.5,1.0,-2.0] s={i}.25 on=true"]
        if i % 7 == 0:
            lines[-2] = f'\tName   text="a\\"{i}\\\\"'
        if i % 11 == 0:
            lines[-1] = f"  T p=[{i}.5,0x3f800000,-2] s=.25 on=false  "
        if i % 5 == 0:
            lines.append("# a note")
    text = "\n".join(lines)
    exact = SceneDoc.from_columns(2, _read_exactly(split_lines(text)))
    assert read_text(text) == exact
    assert exact.entities[11].components[1].get("p").value.tolist() == [11.5, 1.0, -2.0]
    assert exact.entities[7].components[0].get("text").value == 'a"7\\'


def test_line_of_the_first_fault_among_many():
    lines = ["cinder-scene 2"]
    for i in range(100):
        lines += [f"entity {i}", f"  A x={i}.5"]
    lines[120] = "  A x=1.5.5"
    lines[150] = "  A x="
    with pytest.raises(SceneError, match=r"line 121: A: field x"):
        read_text("\n".join(lines))


@pytest.mark.parametrize(
    "brk", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
)
def test_only_line_feeds_end_lines(brk):
    doc = one_field(Kind.STRING, f"a{brk}b")
    assert read_text(write_text(doc)) == doc


@pytest.mark.parametrize("text", ["a\rb", "\r", "tab\t", "\x00\x01\x7f", "ש\u202e", "\ufeff", "🚀"])
def test_strings_are_kept(text):
    doc = one_field(Kind.STRING, text)
    assert read_text(write_text(doc).encode()) == doc


def test_a_large_string_and_many_components():
    doc = one_field(Kind.STRING, 'x"\\\n' * (1 << 18))
    assert read_text(write_text(doc)) == doc
    doc = SceneDoc()
    doc.entities.append(EntityRecord(ComponentRecord(f"C{i}") for i in range(10_000)))
    assert read_text(write_text(doc)) == doc


def test_carriage_returns_before_line_feeds_are_dropped():
    doc = read_text('cinder-scene 2\r\nentity 0\r\n  A s="x\r"\r\n')
    assert doc.entities[0].components[0].get("s").value == "x\r"
    with pytest.raises(SceneError, match="line 3"):
        read_text("cinder-scene 2\r\nentity 0\r\n  A x=1\r\r\n")


@pytest.mark.parametrize(
    "data", [b"\xff", b'cinder-scene 2\nentity 0\n  A s="\xc3"\n', b"\xed\xa0\x80"]
)
def test_not_utf8(data):
    with pytest.raises(SceneError, match="not valid UTF-8"):
        read_text(data)


def test_lone_surrogates():
    with pytest.raises(SceneError, match="UTF-8"):
        write_text(one_field(Kind.STRING, "\ud800"))
    with pytest.raises(SceneError, match="UTF-8"):
        read_text('cinder-scene 2\nentity 0\n  A s="\udfff"\n')


@pytest.mark.parametrize("version", ["0", "-1", "banana", "", "2 3", "+2", "1.5", "4294967296"])
def test_headers_that_are_none(version):
    with pytest.raises(SceneError, match="missing header"):
        parse_header(f"cinder-scene {version}")


@pytest.mark.parametrize("version", [0, -1, 1 << 32, True])
def test_versions_that_cannot_be_written(version):
    with pytest.raises(SceneError, match="missing header"):
        write_text(SceneDoc(version))


@pytest.mark.parametrize(
    "name", ["", "a b", "a=b", 'a"', "#a", "a[", "a]", "\u2003", "a\n", "\ud800"]
)
def test_names_that_no_format_holds(name):
    doc = SceneDoc()
    doc.entities.append(EntityRecord([ComponentRecord(name)]))
    with pytest.raises(SceneError, match="name"):
        write_text(doc)
    doc.entities[0].components[0] = ComponentRecord("A", [Field(name, Kind.INT)])
    with pytest.raises(SceneError, match="name"):
        write_text(doc)


def test_a_component_called_entity():
    doc = SceneDoc()
    doc.entities.append(EntityRecord([ComponentRecord("entity")]))
    with pytest.raises(SceneError, match="entity"):
        write_text(doc)


def test_doubles_cannot_be_written():
    doc = SceneDoc()
    doc.entities.append(EntityRecord([ComponentRecord("A"), ComponentRecord("A")]))
    with pytest.raises(SceneError, match="component A twice"):
        write_text(doc)
    fields = [Field("x", Kind.INT), Field("x", Kind.FLOAT)]
    doc.entities[0].components = [ComponentRecord("A", fields)]
    with pytest.raises(SceneError, match="field x twice"):
        write_text(doc)


def test_references_below_null():
    with pytest.raises(SceneError, match="below"):
        write_text(one_field(Kind.ENTITY, -2))
    with pytest.raises(SceneError, match=r"line 3.*below"):
        read_text("cinder-scene 2\nentity 0\n  A e=#-2\n")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('A s="a', "unterminated quote"),
        ("A v=[1,", "unterminated bracket"),
        ("A v=[1]x", "closing bracket"),
        ("A x", "NAME=VALUE"),
        ("A x=", "number"),
        ("A x=tru", "number"),
        ("A x=99999999999999999999999", "64-bit"),
        ("A x=" + "9" * 100_000, "64-bit"),
        ("A e=#+1", "reference"),
        ("A =1", "empty"),
        ('A "x"=1', "NAME=VALUE|name"),
        ("entity x", "out of order"),
        ("entity", "out of order"),
        ("entity 1 2", "out of order"),
    ],
)
def test_messages(line, words):
    with pytest.raises(SceneError, match=rf"line 3: .*({words})"):
        read_text(f"cinder-scene 2\nentity 0\n{line}\n")


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["  Name" + str(i) for i in range(10_001)], "10001 components in an entity"),
        (["  A " + " ".join(f"f{i}=1" for i in range(10_001))], "10001 fields in A"),
        (["  A f=[" + ",".join(["1.0"] * 1_000_001) + "]"], "1000001 floats in field f of A"),
    ],
    ids=["components", "fields", "floats"],
)
def test_a_text_with_more_than_can_be_written_is_not_read(lines, what):
    text = "\n".join(["cinder-scene 2", "entity 0", *lines, ""])
    with pytest.raises(SceneError, match=f"implausible: {what}"):
        read_text(text)
