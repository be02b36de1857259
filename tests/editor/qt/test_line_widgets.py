"""Lines that wrap in a narrow panel, and lists that bring more of their rows."""

import pytest
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from editor.qt.widgets.more_rows import MoreRows
from editor.qt.widgets.wrapping_line import WrappingLine


def sized(width: int) -> QWidget:
    made = QLabel()
    made.setFixedSize(width, 20)
    return made


class Lead(QLabel):
    """What asks for 100 pixels and can do with 20."""

    def __init__(self) -> None:
        super().__init__("lead" * 20)
        self.setMinimumWidth(20)

    def sizeHint(self):
        return super().sizeHint().boundedTo(sized(100).size())


@pytest.fixture
def line(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    lead, tail = Lead(), sized(80)
    made = WrappingLine(lead, tail)
    column.addWidget(made)
    column.addStretch(1)
    holder.resize(300, 200)
    holder.show()
    return holder, made, lead, tail


def test_the_second_part_stands_beside_the_first_where_there_is_room(line) -> None:
    _, made, lead, tail = line
    assert tail.y() == lead.y()
    assert tail.geometry().right() == made.rect().right()


def test_in_a_narrow_panel_it_stands_below_and_nothing_is_cut(line, qtbot) -> None:
    holder, made, lead, tail = line
    holder.resize(150, 200)
    qtbot.waitUntil(lambda: tail.y() > lead.y())
    assert holder.width() == 150, "a line that can wrap does not widen its panel"
    qtbot.waitUntil(lambda: made.height() >= tail.geometry().bottom())
    assert (lead.width(), tail.width()) == (150, 80)
    holder.resize(300, 200)
    qtbot.waitUntil(lambda: tail.y() == lead.y())


def test_what_grows_wraps_where_it_is(line, qtbot) -> None:
    _, made, _, tail = line
    tail.setFixedSize(260, 20)
    qtbot.waitUntil(lambda: made.is_wrapped)
    tail.hide()
    qtbot.waitUntil(lambda: not made.is_wrapped)


def rows_of(listing: MoreRows) -> list[str]:
    return [label.text() for label in listing.findChildren(QLabel) if not label.isHidden()]


def listing(qtbot, count: int, most: int, **options) -> MoreRows:
    made = MoreRows(count, lambda index: QLabel(str(index)), most, **options)
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(("count", "shown"), [(0, 0), (3, 3), (6, 6), (7, 7), (8, 6)])
def test_a_list_shows_its_beginning_and_says_how_many_more_there_are(qtbot, count, shown) -> None:
    made = listing(qtbot, count, 6)
    assert rows_of(made) == [str(index) for index in range(shown)]
    assert made.more.isHidden() is (count == shown)
    assert count == shown or made.more.text() == f"and {count - shown} more"


def test_a_click_brings_the_others_and_another_takes_them_away(qtbot) -> None:
    made, told = listing(qtbot, 10, 3), []
    made.shown_changed.connect(told.append)
    made.more.click()
    assert rows_of(made) == [str(index) for index in range(10)]
    assert made.more.text() == "Show fewer"
    made.more.click()
    assert rows_of(made) == ["0", "1", "2"]
    assert told == [10, 3]


def test_thousands_come_bit_by_bit_and_stay_where_they_were_asked_for(qtbot) -> None:
    made, told = listing(qtbot, 5_000, 5, what="nodes"), []
    made.shown_changed.connect(told.append)
    assert made.more.text() == "and 4,995 more nodes"
    made.more.click()
    assert (len(rows_of(made)), made.more.accessibleName()) == (105, "Show 4,895 more nodes")
    assert len(rows_of(listing(qtbot, 5_000, 5, shown=told[-1]))) == 105
