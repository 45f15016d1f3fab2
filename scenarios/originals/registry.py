"""Which originals a file of the data is made from, with their digests: SHA-256 of what is unpacked."""

from collections.abc import Callable

import attrs

from scenarios.originals.derive import Rows, Texts, adult, census, gowalla_cells, item_counts

GITHUB = "https://raw.githubusercontent.com"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
LBSN = f"{GITHUB}/rahmanidashti/LBSNDatasets"
TRAIN = "d93c9f08e7b32991ae35732f4dc7bdecef75b3a3/Gowalla/Gowalla_2/Gowalla_train.txt"


@attrs.frozen
class Original:
    """A public file; packed if its name ends in .gz."""

    url: str
    sha256: str


@attrs.frozen
class Derived:
    """A file of the data: from which originals, how, and the digest of the CSV that comes out, unpacked."""

    originals: tuple[Original, ...]
    derive: Callable[[Texts], Rows]
    sha256: str


FILES = {
    "census_income.csv.gz": Derived(
        (Original(f"{UCI}/census-income-mld/census-income.data.gz",
                  "3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86"),),
        census, "23b37dbed9cca049e1a5c5270ae1e6b286a25c0015d0719567af2cd3ebd9e808",
    ),
    "census_income_test.csv.gz": Derived(
        (Original(f"{GITHUB}/drawbridge/keras-mmoe/5532ffb3ed6bccf4a0eae9d189fa0d661357425f/"
                  "data/census-income.test.gz",
                  "98402b1ab879573d0a7f38a699a40258080e25e33d3401e7bf9c96d3fa0fab8c"),),
        census, "222dd92126ed5952a869a3f808ac8901c7737a456ee3f5d0dfc4386bb9f204e8",
    ),
    "adult.csv.gz": Derived(
        (Original(f"{UCI}/adult/adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
         Original(f"{UCI}/adult/adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05")),
        adult, "c6c77bfbd8b6c387f5e508860cdc6595f3522e645be92e9d55612bbf046829f9",
    ),
    "retail_counts.csv.gz": Derived(
        (Original(f"{GITHUB}/DIYer22/dataMining/master/retail2.dat",
                  "d967431ba522e32f0fbb243f2ee113ecd4cb374cb0234c1b0858dae1d499a055"),),
        item_counts, "4761d905deac003b277529279ee46a52cbde136524e9f52fbaa8d7aeae5214dc",
    ),
    "kosarak_small_sessions_counts.csv.gz": Derived(
        (Original(f"{GITHUB}/arbenson/discrete-subset-choice/b1d707e94da7bc444f6bcee0454224801e67ba65/"
                  "data/kosarak-5-25.txt",
                  "a728b46014882389fd83de05e06e62fc563ce58838aeebbb5a8df649a3ed1f46"),),
        item_counts, "fd4aaaf5b0d7949103e0689cde7b9cc9802a5bbeb4e68092853d2a756e42b0a8",
    ),
    "gowalla_cells.csv.gz": Derived(
        (Original(f"{LBSN}/master/Gowalla/Gowalla_1/Gowalla_poi_coos.txt",
                  "118d0a2de7234aed54386642a8c09531e09052fd9d404639e6b1b60aa584a961"),
         Original(f"{LBSN}/master/Gowalla/Gowalla_1/Gowalla_tune.txt",
                  "5861ab3d3abc7369565a9546ee92e5d36251ce5d0b82fa3f070cbb7f9bd0c7f2"),
         Original(f"{LBSN}/master/Gowalla/Gowalla_1/Gowalla_test.txt",
                  "2dbef649f159a01979263b739ab4dfdbf8b137517960c01a53756580a7f2300e"),
         Original(f"{LBSN}/{TRAIN}", "3fd79f9badc72b5c0db86e4d160fafa5d1625c8a4387f87aa7ac7ab84d18391a")),
        gowalla_cells, "305186436ed05a15a7a093e9bc70ffe7986f7e45f59172912db8ecb04bb0db1f",
    ),
}  # fmt: skip
