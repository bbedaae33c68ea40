"""Numbers of right answers to calendar tasks and trips, of which the published evaluation accepts one each."""

from __future__ import annotations

from planoracle.instances.benchmarks.naturalplan import calendar_tasks, trip_tasks


def published_figures() -> dict[str, int]:
    """Return counts over the bundled tasks: right answers, and published answers that fit.

    Slots are counted on the half hour.

    >>> published_figures()["calendars with several right slots"]
    36
    """
    calendars = list(calendar_tasks.bundled().values())
    slot_counts = {facts: len(facts.right_slots()) for facts in calendars}
    several = [facts for facts in calendars if slot_counts[facts] > 1]
    free_choice = [facts for facts in several if not facts.is_earliest]
    trips = list(trip_tasks.bundled().values())
    orders_of_trips = [trip.orders() for trip in trips]
    order_counts = list(map(len, orders_of_trips))
    fitting_orders = 0
    for trip, orders in zip(trips, orders_of_trips, strict=True):
        fitting_orders += tuple(city for city, _ in trip.reference) in orders
    return {
        "published slots that fit": sum(facts.fits(facts.reference) for facts in calendars),
        "calendars with several right slots": len(several),
        "of these, calendars that do not ask for the earliest": len(free_choice),
        "right slots of a calendar, at most": max(slot_counts.values()),
        "published orders that fit": fitting_orders,
        "trips with several right orders": sum(count > 1 for count in order_counts),
        "right orders of a trip, at most": max(order_counts),
    }
