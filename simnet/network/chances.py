"""The chances of a network: jitter and lost packets.

Every message has coins of its own. They are made from the seed, a number that stands for the sender
and the post, the recipient, and the member if the sender or the recipient is a crowd. So the
chances do not depend on the order in which the clock asks for them. The coins come from a hash
function for simulations (splitmix64), which is not cryptographic.
"""

import numpy as np

from simnet.arrays import Floats, Ints, Words
from simnet.network.network import Latency

JITTER, LOSS = 1, 2
_STEP = np.uint64(0x9E3779B97F4A7C15)


def _mixed(words: Words) -> Words:
    """Return a hash of each word (splitmix64: Steele, Lea and Flood, 2014)."""
    mixed: Words = words + _STEP  # a new array; the steps below change it in place
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def message_words(seed: int, messages: Ints) -> Words:
    """Return, for each post, the word from which the coins of its messages are made. `messages` has
    a number for each post.
    """
    start = _mixed(np.full(1, seed & 0xFFFFFFFFFFFFFFFF, dtype=np.uint64))
    return _mixed(start ^ messages.astype(np.uint64))


def uniform(words: Words, purpose: int, recipient: int, members: Ints) -> Floats:
    """Return one number for each message, uniform on (0, 1).

    `words` has for each message the word of its post, from `message_words`; messages of one post
    differ in `recipient` or `members`. `purpose` must be below 4, `recipient` below 2^30, and
    `members` below 2^32.
    """
    of_recipient = np.uint64(purpose << 62 | recipient << 32) | members.astype(np.uint64)
    mixed = _mixed(words ^ of_recipient)
    numbers: Floats = ((mixed >> np.uint64(12)).astype(np.float64) + 0.5) / 2.0**52
    return numbers


def extra_seconds(
    latency: Latency, packets: int, words: Words, recipient: int, members: Ints
) -> Floats:
    """Return how much longer than `latency.seconds` the messages with these words are under way.

    A message of k packets is there when its last packet is there. Each packet is lost with
    probability p in every try. Let m be the number of failed tries of the packet that fails most
    often. The probability that m is at most j is (1 - p^(j+1))^k, and m is drawn from this law.
    """
    extra = np.zeros(np.broadcast_shapes(words.shape, members.shape))
    if latency.jitter:
        drawn = uniform(words, JITTER, recipient, members)
        jitter = 2 * drawn if latency.law == "uniform" else -np.log1p(-drawn)
        extra = latency.jitter * jitter
    if latency.loss:
        drawn = uniform(words, LOSS, recipient, members)
        # 1 - drawn^(1/k), without the rounding of a number close to 1
        some_fail = -np.expm1(np.log(drawn) / packets)
        tries = np.maximum(np.ceil(np.log(some_fail) / np.log(latency.loss)) - 1, 0.0)
        extra = extra + tries * latency.round_trip
    return extra
