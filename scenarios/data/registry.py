"""The registry of data files: the originals that each file is made from, with addresses and
digests.

A digest is the SHA-256 of the unpacked content. Some addresses name a commit; for the others the
digest tells whether the content has changed.
"""

from collections.abc import Callable

import attrs

from scenarios.data.derive import (
    Rows,
    Texts,
    adult,
    breast_cancer,
    census,
    first_sessions,
    gowalla_cells,
    item_counts,
)

GITHUB = "https://raw.githubusercontent.com"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
LBSN = f"{GITHUB}/rahmanidashti/LBSNDatasets"
TRAIN = "d93c9f08e7b32991ae35732f4dc7bdecef75b3a3/Gowalla/Gowalla_2/Gowalla_train.txt"


@attrs.frozen
class Original:
    """A public file; it is packed if its name ends in .gz."""

    url: str
    sha256: str


@attrs.frozen
class Derived:
    """A file of the data: its originals, the function that makes it, and the digest of the unpacked
    CSV.
    """

    originals: tuple[Original, ...]
    derive: Callable[[Texts], Rows]
    sha256: str


FILES = {
    "census_income.csv.gz": Derived(
        (
            Original(
                f"{UCI}/census-income-mld/census-income.data.gz",
                "3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86",
            ),
        ),
        census,
        "23b37dbed9cca049e1a5c5270ae1e6b286a25c0015d0719567af2cd3ebd9e808",
    ),
    "adult.csv.gz": Derived(
        (
            Original(
                f"{UCI}/adult/adult.data",
                "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            ),
            Original(
                f"{UCI}/adult/adult.test",
                "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            ),
        ),
        adult,
        "c6c77bfbd8b6c387f5e508860cdc6595f3522e645be92e9d55612bbf046829f9",
    ),
    "retail_counts.csv.gz": Derived(
        (
            Original(
                f"{GITHUB}/DIYer22/dataMining/master/retail2.dat",
                "d967431ba522e32f0fbb243f2ee113ecd4cb374cb0234c1b0858dae1d499a055",
            ),
        ),
        item_counts,
        "4761d905deac003b277529279ee46a52cbde136524e9f52fbaa8d7aeae5214dc",
    ),
    "kosarak_first_sessions_counts.csv.gz": Derived(
        (
            Original(
                f"{GITHUB}/berkin768/Apriori-Method-Analysis/1a5a4a2e1ca61bdcbe11db0670c4fa6d1179b334/kosarak.dat",
                "a4824eda4c747a67cd45bb9e8cc58e96645dd765eea46772ce24c73e8160eba0",
            ),
        ),
        first_sessions,
        "7c9b660d0f23098e46d4acdb20b8d36961376919e5a6edfa7c15939eb8be8d5f",
    ),
    "breast_cancer_ljubljana.csv": Derived(
        (
            Original(
                f"{UCI}/breast-cancer/breast-cancer.data",
                "ca7d3fa97b62ff967b6894ffbb3acaaf4a51062e0149e5950b3ad6f685970b65",
            ),
        ),
        breast_cancer,
        "fe9041f7b486a0d6ff3ee5024349adb3ee5877e0b8eebb970ff566fa8f720d72",
    ),
    "gowalla_cells.csv.gz": Derived(
        (
            Original(
                f"{LBSN}/master/Gowalla/Gowalla_1/Gowalla_poi_coos.txt",
                "118d0a2de7234aed54386642a8c09531e09052fd9d404639e6b1b60aa584a961",
            ),
            Original(
                f"{LBSN}/master/Gowalla/Gowalla_1/Gowalla_tune.txt",
                "5861ab3d3abc7369565a9546ee92e5d36251ce5d0b82fa3f070cbb7f9bd0c7f2",
            ),
            Original(
                f"{LBSN}/master/Gowalla/Gowalla_1/Gowalla_test.txt",
                "2dbef649f159a01979263b739ab4dfdbf8b137517960c01a53756580a7f2300e",
            ),
            Original(
                f"{LBSN}/{TRAIN}",
                "3fd79f9badc72b5c0db86e4d160fafa5d1625c8a4387f87aa7ac7ab84d18391a",
            ),
        ),
        gowalla_cells,
        "305186436ed05a15a7a093e9bc70ffe7986f7e45f59172912db8ecb04bb0db1f",
    ),
}
ELSEWHERE = {  # files that experiments read, but for which no public original is known
    "gowalla_nyc_locations.csv.gz": "the columns location_id and checkins, for the 2,000 "
    "locations of New York City with the most check-ins in SNAP's loc-gowalla_totalCheckins.txt, "
    "the most visited first",
}
