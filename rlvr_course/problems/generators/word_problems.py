"""Word problems: short stories about money, distance, time, weight and volume.

The dial sets how large the quantities are and how many steps a story has: two below 0.5, three
from there on. Each question names the unit of its answer. Money is exact to the cent, and every
other answer is a whole number or a decimal that ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from rlvr_course.problems.generators.drafts import Dial, Draft

_NAMES = (
    *("Amara", "Ben", "Chen", "Dana", "Elif", "Femi", "Grace", "Hugo", "Ines", "Jonas", "Kaito"),
    *("Lena", "Mateo", "Nadia", "Omar", "Priya", "Rosa", "Sami", "Tara", "Umar", "Vera", "Wei"),
)


def draft_word_problem(dial: Dial) -> Draft:
    """Draw a story, then its names and numbers."""
    return dial.rng.choice(_STORIES)(dial, dial.rng.choice(_NAMES))


def _is_long(dial: Dial) -> bool:
    return dial.steps(2, 3) == 3


def _change(dial: Dial, name: str) -> Draft:
    count, price = dial.whole(2, 5, 40), _price(dial, 90, 2500)
    things = dial.rng.choice(("pencils", "stickers", "sandwiches", "candles", "bus tickets"))
    voucher = dial.rng.randint(5, count * price // 2) if _is_long(dial) else 0
    cost = count * price - voucher
    paid = (cost // 1000 + 1) * 1000
    less = f" A voucher takes {money(voucher)} off the total." if voucher else ""
    return _story(
        "change",
        f"{name} buys {count} {things} at {money(price)} each.{less} {name} hands over "
        f"{money(paid)}. How many dollars of change are due?",
        Fraction(paid - cost, 100),
        {"count": count, "price_cents": price, "voucher_cents": voucher, "paid_cents": paid},
        "dollars",
    )


def _distance(dial: Dial, name: str) -> Draft:
    minutes = 5 * dial.whole(2, 12, 60)
    # The speed makes the distance a whole number of kilometres.
    unit = 60 // math.gcd(60, minutes)
    speed = unit * dial.rng.randint(math.ceil(12 / unit), max(120 // unit, 1))
    more = dial.whole(2, 9, 90) if _is_long(dial) else 0
    then = f" and then covers {counted(more, 'more kilometre')} on foot" if more else ""
    return _story(
        "distance",
        f"{name} travels at {speed} km/h for {minutes} minutes{then}. How many kilometres is that?",
        Fraction(speed * minutes, 60) + more,
        {"speed_km_h": speed, "minutes": minutes, "more_km": more},
        "km",
    )


def _wages(dial: Dial, name: str) -> Draft:
    hours, days = dial.whole(2, 5, 10), dial.whole(2, 4, 25)
    pay = _price(dial, 1200, 6000)
    earned = hours * days * pay
    fare = dial.rng.randint(100, earned // 2) if _is_long(dial) else 0
    spent = f" {money(fare)} of it goes on train tickets." if fare else ""
    return _story(
        "wages",
        f"{name} works {counted(hours, 'hour')} a day for {counted(days, 'day')} and earns "
        f"{money(pay)} an hour.{spent} How many dollars {'are left' if fare else 'is that'}?",
        Fraction(earned - fare, 100),
        {"hours": hours, "days": days, "pay_cents": pay, "fare_cents": fare},
        "dollars",
    )


def _recipe(dial: Dial, name: str) -> Draft:
    served, guests = dial.rng.sample(range(2, dial.top(6, 40) + 1), 2)
    grams = 5 * dial.whole(2, 12, 60) * served
    needed = grams // served * guests
    at_home = dial.rng.randint(1, needed - 1) if _is_long(dial) else 0
    flour = dial.rng.choice(("flour", "rice", "oats", "lentils"))
    has = f" and has {counted(at_home, 'gram')} at home" if at_home else ""
    return _story(
        "recipe",
        f"A recipe for {counted(served, 'person')} takes {counted(grams, 'gram')} of {flour}. "
        f"{name} cooks it for {counted(guests, 'person')}{has}. "
        f"How many {'more grams' if at_home else 'grams'} of {flour} does {name} need?",
        Fraction(needed - at_home),
        {"served": served, "grams": grams, "guests": guests, "at_home": at_home},
        "g",
    )


def _bottles(dial: Dial, name: str) -> Draft:
    count, millilitres = dial.whole(2, 6, 60), 50 * dial.whole(2, 20, 40)
    poured = Fraction(count * millilitres, 1000)
    barrel = math.ceil(poured) + dial.whole(1, 5, 60) if _is_long(dial) else 0
    source = f" from a full barrel of {counted(barrel, 'litre')}" if barrel else ""
    asked = "are left in the barrel" if barrel else "do they hold together"
    return _story(
        "bottles",
        f"{name} fills {counted(count, 'bottle')} of {millilitres} ml each{source}. "
        f"How many litres {asked}?",
        barrel - poured if barrel else poured,
        {"count": count, "millilitres": millilitres, "barrel_litres": barrel},
        "litres",
    )


def _fence(dial: Dial, name: str) -> Draft:
    length, width = dial.rng.sample(range(2, dial.top(15, 150) + 1), 2)
    price = _price(dial, 500, 4000) if _is_long(dial) else 0
    asked = (
        f"A metre of fence costs {money(price)}. How many dollars does a fence around it cost?"
        if price
        else "How many metres long is a fence around it?"
    )
    around = 2 * (length + width)
    return _story(
        "fence",
        f"{name} has a rectangular garden, {length} m long and {width} m wide. {asked}",
        Fraction(around * price, 100) if price else Fraction(around),
        {"length_m": length, "width_m": width, "price_cents": price},
        "dollars" if price else "m",
    )


def _discount(dial: Dial, name: str) -> Draft:
    # Whole dollars times whole percent are whole cents.
    dollars, percent = dial.whole(5, 40, 900), dial.rng.choice(_percents(dial))
    delivery = _price(dial, 300, 3000) if _is_long(dial) else 0
    thing = dial.rng.choice(("jacket", "lamp", "bicycle", "keyboard", "tent"))
    added = f" Delivery costs {money(delivery)} more." if delivery else ""
    return _story(
        "discount",
        f"A shop lists a {thing} at ${dollars} and takes {percent}% off that price.{added} "
        f"How many dollars does {name} pay in all?",
        Fraction(dollars * (100 - percent) + delivery, 100),
        {"dollars": dollars, "percent": percent, "delivery_cents": delivery},
        "dollars",
    )


def _eggs(dial: Dial, name: str) -> Draft:
    size, boxes = dial.rng.choice((4, 6, 10, 12)), dial.whole(2, 9, 90)
    price = _price(dial, 200, 900)
    takings = boxes * price
    fee = dial.rng.randint(1, takings // 10) if _is_long(dial) else 0
    less = f" The market keeps {money(fee)} of the takings." if fee else ""
    return _story(
        "eggs",
        f"{name} packs {size * boxes} eggs into boxes of {size} and sells every box for "
        f"{money(price)}.{less} How many dollars does {name} take home?",
        Fraction(takings - fee, 100),
        {"eggs": size * boxes, "size": size, "price_cents": price, "fee_cents": fee},
        "dollars",
    )


def _saving(dial: Dial, name: str) -> Draft:
    weeks, net = dial.whole(2, 9, 60), dial.whole(3, 12, 80)
    start = dial.whole(2, 20, 400)
    spent = dial.whole(2, 9, 60) if _is_long(dial) else 0
    weekly = f"earns ${net + spent} and spends ${spent} of it" if spent else f"adds ${net}"
    return _story(
        "saving",
        f"{name} has ${start} saved, and every week {name} {weekly}. "
        f"After how many weeks does {name} have ${start + weeks * net}?",
        Fraction(weeks),
        {"start": start, "weekly": net + spent, "spent": spent, "goal": start + weeks * net},
        "weeks",
    )


_STORIES: tuple[Callable[[Dial, str], Draft], ...] = (
    _change,
    _distance,
    _wages,
    _recipe,
    _bottles,
    _fence,
    _discount,
    _eggs,
    _saving,
)


def _story(
    topic: str, question: str, value: Fraction, operands: dict[str, int], unit: str
) -> Draft:
    """A draft; a story's third step is the operand that is 0 where there are two."""
    steps = 2 if 0 in operands.values() else 3
    present = {name: number for name, number in operands.items() if number}
    text = _cents(value) if unit == "dollars" else decimal(value)
    return Draft(topic, question, text, steps, present, unit)


def _price(dial: Dial, easy: int, hard: int) -> int:
    """Cents, no less than a third of the easiest top; multiples of five where stories are short."""
    cents = dial.whole(easy // 3, easy, hard)
    return cents if _is_long(dial) else cents - cents % 5


def _percents(dial: Dial) -> tuple[int, ...]:
    return tuple(range(3, 60)) if _is_long(dial) else (10, 20, 25, 50)


def counted(number: int, noun: str) -> str:
    """A number with its noun, singular or plural.

    >>> counted(1, "hour"), counted(3, "person")
    ('1 hour', '3 people')
    """
    plural = "people" if noun == "person" else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def money(cents: int) -> str:
    """Cents as dollars: two decimals, or none.

    >>> money(1205), money(300)
    ('$12.05', '$3')
    """
    return f"${_cents(Fraction(cents, 100))}"


def _cents(dollars: Fraction) -> str:
    whole, cents = divmod(int(dollars * 100), 100)
    return f"{whole}.{cents:02d}" if cents else str(whole)


def decimal(value: Fraction) -> str:
    """A number that has a finite decimal expansion, written out.

    >>> decimal(Fraction(11, 4)), decimal(Fraction(6))
    ('2.75', '6')
    """
    if value.denominator == 1:
        return str(value)
    places = next(p for p in range(1, 20) if 10**p % value.denominator == 0)
    digits = str(int(value * 10**places)).zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}"
