// A reader of certificates for node 20 or a browser: node check.mjs [--limit N] FILE...
//
// This reader was written from docs/reference/certificates.md alone and shares no code with the reader in
// Python, so that a mistake in one reader shows as a difference between the two. "Rule 3" below is rule 3 in
// section 7 of that page. The "set" is the coalition that the certificate is about.
//
// Theory of operation. The text is read in three steps.
//   1. `readCanonical` parses the JSON. JSON.parse rounds large numbers, so every number is first turned into
//      a string that begins with "n", and an "s" is put before the contents of every string. The parsed value
//      is written out again and must give the same marked text. This refuses repeated keys, blanks and
//      needless escapes.
//   2. The schema below turns the marked values into texts, BigInts and arrays. `classify`, `readSeeds` and
//      `readField` check the conditions of sections 4 to 6. This takes about linear time.
//   3. The products of numbers are counted. If they are within the limit, `checkField` and its neighbours
//      check the rules.
// A form is an array of entries [unknown, coefficient]. The unknown is a Number, because it is an index into an
// array; the coefficient is a BigInt. Beside classes of parties (section 10) an entry may have a matching, too. A
// sum of forms is a Map from unknowns, or from texts of unknowns with matchings, to residues in 0..q-1.

export class BadCertificate extends Error {}

const refuse = (why) => { throw new BadCertificate(why); };
const must = (condition, why) => { if (!condition) refuse(why); };

// ---- The text (section 2) ----

// The last alternative matches all the rest of the text from a wrong character on. Without it, a string that
// is never closed would be searched again from each of its letters.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+|true|false|null|[{}[\],:]|[^]+/g;
const NUMBER = /^(?:0|-?[1-9][0-9]{0,999})$/;
const DEEPEST = 10; // the depth of the pairs of a matching; the bound keeps recursion shallow

function readCanonical(text) {
  must(typeof text === "string" && text.endsWith("\n"), "the text does not end with a newline");
  let depth = 0;
  const marked = text.slice(0, -1).replace(TOKEN, (token) => {
    if (token.length > 1 && token[0] === '"') return '"s' + token.slice(1);
    if (NUMBER.test(token)) return `"n${token}"`;
    if (token === "[" || token === "{") must(++depth <= DEEPEST, "the text is nested too deeply");
    else if (token === "]" || token === "}") depth--;
    else must([",", ":", "true", "false", "null"].includes(token), "the text is not JSON in the canonical form");
    return token;
  });
  const value = JSON.parse(marked);
  must(JSON.stringify(value) === marked, "the text is not JSON in the canonical form");
  return value; // `table` checks that the keys of each object ascend
}

// Compares texts by code points, which gives the order of their UTF-8 bytes. JavaScript's `<` would compare
// the halves of surrogate pairs.
function precedes(a, b) {
  const [left, right] = [Array.from(a), Array.from(b)];
  const i = left.findIndex((character, j) => character !== right[j]);
  return i < 0 ? left.length < right.length
    : i < right.length && left[i].codePointAt(0) < right[i].codePointAt(0);
}
const ascends = (items, less) => items.every((item, i) => i === 0 || less(items[i - 1], item));

// ---- The schema (sections 3 to 6): each reader turns a marked value into its value, or refuses it ----

const isMarked = (value, mark) => typeof value === "string" && value[0] === mark;
const text = (value) => {
  must(isMarked(value, "s"), "expected a text");
  must(!/\p{Cs}/u.test(value), "a text contains half a surrogate pair");
  return value.slice(1);
};
const name = (value) => text(value) || refuse("a name is empty");
const integer = (value) => isMarked(value, "n") ? BigInt(value.slice(1)) : refuse("expected a whole number");
const flag = (value) => typeof value === "boolean" ? value : refuse("expected true or false");
const atLeast = (least) => (value) => {
  const number = integer(value);
  return number >= least ? number : refuse(`a number is ${number}, expected at least ${least}`);
};
const whole = atLeast(0n);
// An index into a list. A later check compares it with the length of that list, which is below 2^53.
const place = (value) => {
  const number = isMarked(value, "n") ? Number(value.slice(1)) : -1;
  return Number.isSafeInteger(number) && number >= 0 ? number : refuse("expected an index into a list, 0 or more");
};
const orNull = (read) => (value) => value === null ? null : read(value);
const oneOf = (...texts) => (value) => texts.includes(text(value)) ? text(value)
  : refuse(`a text is not one of ${texts.join(", ")}`);
const digits = (count) => (value) =>
  new RegExp(`^[0-9a-f]{${count}}$`).test(text(value)) ? text(value)
    : refuse(`a text is not a digest of ${count} digits`);
const list = (read, least = 0) => (value) => {
  must(Array.isArray(value) && value.length >= least, `expected a list of at least ${least} items`);
  return value.map((item) => read(item));
};
const tuple = (...readers) => (value) => {
  must(Array.isArray(value) && value.length === readers.length, `expected a list of ${readers.length} items`);
  return readers.map((read, i) => read(value[i]));
};
const table = (readKey, read) => (value) => { // an object with any keys
  must(typeof value === "object" && value !== null && !Array.isArray(value), "expected an object");
  must(ascends(Object.keys(value), precedes), "the keys of an object do not ascend");
  return new Map(Object.entries(value).map(([key, item]) => [readKey(key), read(item)]));
};
const record = (readers) => (value) => { // an object with exactly these keys
  const items = table(text, (item) => item)(value);
  const names = Object.keys(readers);
  must(items.size === names.length && names.every((key) => items.has(key)),
    `the keys of an object are not ${names.join(", ")}`);
  return Object.fromEntries(names.map((key) => [key, readers[key](items.get(key))]));
};

const MATCHING = list(tuple(place, place), 1);
const withMatching = (...readers) => (value) => // the matching is left out if it is empty
  tuple(...readers, ...(value?.length > readers.length ? [MATCHING] : []))(value);
const PAIRS = list(withMatching(place, whole));
const MATRIX = list(tuple(place, PAIRS)); // its rows that are not 0
const WORD = list(place);
const FACTORS = list(withMatching(place, whole, list(whole)));
const TIER = oneOf("proved", "enumerated", "sampled", "stated", "bound", "not judged");
const PROTOCOL = record({
  name, scenario: orNull(name), parameters: table((key) => name(key), text), source: orNull(digits(64)), simnet: name,
});
const CALM_RUN = {
  seed: orNull(integer), inputs: orNull(digits(64)), trace: orNull(digits(32)),
  sent: table((key) => name(key), tuple(whole, whole)), fates: table((key) => name(key), name),
};
// `message_fates` is missing if no message went astray; keys are still marked as texts here
const RUN = (value) => record(Object.hasOwn(value ?? {}, "smessage_fates")
  ? { ...CALM_RUN, message_fates: list(name, 1) } : CALM_RUN)(value);
const DISCLOSED = record({
  independent: orNull(flag), epsilon: orNull(text), tier: TIER, argument: text,
  doors: list(record({
    parties: list(name), functions: list(name), calls: whole, epsilon: orNull(text),
    given_secrets: orNull(text), tier: TIER, argument: text,
  })),
});
const FAMILY = record({
  kind: oneOf("coin", "secret", "product", "monomial", "public", "stream"), holders: list(name), label: text,
  size: atLeast(1n), factors: list(tuple(place, whole)), seed: orNull(place),
});
const DOOR = record({
  party: name, kind: oneOf("secret", "disclose"), function: text, has_input: flag,
  discloses: flag, in_full: flag, made: orNull(place),
});
const BOX = tuple(whole, place);
const HEADER = { run: atLeast(1n), round: whole, from: name, to: name, tag: name, key: orNull(integer), piece: whole };
const CLOSED = record({ ...HEADER, box: BOX });
const MESSAGE = record({ ...HEADER, box: orNull(BOX), rows: list(tuple(whole, PAIRS), 1) });
const SEED = record({
  seed: place, rows: list(PAIRS, 1), told: list(tuple(PAIRS, PAIRS)), private: list(tuple(place, PAIRS)),
});
const FIELD = record({
  modulus: atLeast(2n), lanes: atLeast(1n), unknowns: list(tuple(place, whole)), messages: list(MESSAGE),
  opened: list(record({ door: place, seen: flag, form: PAIRS })), ideal: list(PAIRS),
  learned: list(record({
    function: PAIRS, weights: FACTORS, own: FACTORS, values: list(whole),
  })),
  alike: orNull(record({
    classes: list(tuple(name, atLeast(1n))), rows: list(tuple(text, WORD, PAIRS)), unknowns: list(WORD),
    functions: list(WORD), ideal: list(WORD), columns: list(WORD),
  })),
  shift: MATRIX, rest: MATRIX, factor: MATRIX, witness: MATRIX, changes: orNull(list(tuple(place, place))), given: list(place),
  seeds: list(SEED),
});
const CERTIFICATE = record({
  format: oneOf("simnet certificate"), version: integer, protocol: PROTOCOL, runs: list(RUN, 1),
  set: list(name, 1), statement: oneOf("nothing", "output-only", "leaks", "no-shares"),
  disclosed: DISCLOSED, notes: list(text), reveals: list(text), written_out: whole,
  families: list(FAMILY), doors: list(DOOR), told: list(place), fields: list(FIELD),
  seeds: list(list(place)), public_keys: list(place), known: list(place), closed: list(CLOSED),
});

// ---- Families, doors and classes (section 4) ----

// Returns for each family whether it is the set's own: an array of booleans.
function checkFamilies(families, set, seeds) {
  const own = [];
  const seenBefore = new Set();
  for (const { kind, holders, label, size, factors, seed } of families) {
    const [isMonomial, isPublic, isStream] = [kind === "monomial", kind === "public", kind === "stream"];
    must(ascends(holders, precedes), "the holders of a family are not in ascending order");
    must((holders.length === 0) === (isMonomial || isPublic || isStream),
      "a monomial, the public family or a stream has holders, or another family has none");
    must((seed !== null) === isStream && (!isStream || seed < seeds.entries.length),
      "a stream has no seed of the list, or another family has a seed");
    must((factors.length >= 2) === isMonomial && (isMonomial || !factors.length),
      "a monomial has fewer than two factors, or another family has factors");
    if (isMonomial || isPublic) {
      must(size === 1n && label === (isPublic ? "one" : ""),
        "a monomial or the public unknown has a wrong size or label");
    }
    must(ascends(factors, ([f, p], [g, r]) => f < g || (f === g && p <= r)),
      "the factors of a monomial are not in ascending order");
    for (const [factor, position] of factors) {
      must(factor < own.length, "a factor does not stand before its monomial");
      const factorKind = families[factor].kind;
      must(["coin", "secret", "product"].includes(factorKind), "a factor is public, a monomial or a stream");
      must(position < families[factor].size, "the position of a factor is outside its family");
    }
    const identity = JSON.stringify([kind, holders, label, factors.map(([f, p]) => [f, String(p)]), seed]);
    must(!seenBefore.has(identity), "a family is listed twice");
    seenBefore.add(identity);
    own.push(isPublic || (isStream && seeds.known.has(seed)) || (isMonomial ? factors.every(([f]) => own[f]) : holders.some((h) => set.has(h))));
  }
  return own;
}

// Returns the class of each family: "coin", "own", "told", "hidden", "secret" or "mixed".
function classify({ families, doors, told, set: members }, seeds) {
  const set = new Set(members);
  const own = checkFamilies(families, set, seeds);
  const made = new Set();
  for (const door of doors) {
    must(!set.has(door.party), "the party of a door is in the set");
    must(door.kind !== "disclose" || door.discloses, "the entry of a disclose door says that it discloses nothing");
    must(door.kind === "disclose" || !door.in_full, "a door that is not a disclose door discloses in full");
    must((door.kind === "disclose") === (door.made === null), "a door made a family that it cannot make");
    if (door.made === null) continue;
    must(door.made < families.length && families[door.made].kind === "secret" && !own[door.made],
      "a door made a family that it cannot make");
    must(!made.has(door.made), "two doors made one family");
    made.add(door.made);
  }
  must(ascends(told, (a, b) => a < b), "the families in `told` are not in ascending order");
  for (const family of told) {
    must(family < families.length && ["secret", "product"].includes(families[family].kind)
      && (own[family] || made.has(family)),
      "a family in `told` must be a secret or a product, and either the set holds it or a door made it");
  }
  const toldSet = new Set(told);
  const classes = [];
  families.forEach(({ kind, factors }, family) => {
    const of = factors.map(([f]) => classes[f]);
    if (toldSet.has(family)) classes.push("told");
    else if (of.length) {
      classes.push(of.every((one) => one === "own") ? "own"
        : of.every((one) => one === "own" || one === "secret") ? "secret" : "mixed");
    } else if (own[family]) classes.push("own");
    else if (kind === "coin" || kind === "stream") classes.push("coin");
    else classes.push(made.has(family) ? "hidden" : "secret");
  });
  return { own, classes, toldSet };
}

// ---- Seeds (section 5) ----

// Returns the entries of all seeds, the known seeds in their order, the sets `known`, `publicKeys` and
// `secretKeys`, and a function that tells whether the set can agree on a seed if it knows some seeds.
function readSeeds({ seeds: entries, known: order, public_keys: publicList, closed, doors, told, runs, set: members }) {
  const set = new Set(members);
  const [known, publicKeys] = [new Set(order), new Set(publicList)];
  const isMade = (seed) => seed < entries.length && entries[seed].length === 0;
  const pairs = entries.filter((entry) => entry.length);
  must(pairs.every((entry) => entry.length === 2 && entry[0] <= entry[1] && entry.every(isMade)),
    "a seed is agreed on by other keys than two made seeds in ascending order");
  must(new Set(pairs.map(String)).size === pairs.length, "two entries of `seeds` name the same keys");
  must(known.size === order.length && order.every((seed) => seed < entries.length),
    "`known` names a seed twice, or one that does not exist");
  must(ascends(publicList, (a, b) => a < b) && publicList.every(isMade),
    "the public keys do not ascend, or one is not of a made seed");
  must(!entries.length || (!doors.length && !told.length), "doors or told families are listed beside seeds");
  for (const { box: [, seed], run, from, to } of closed) {
    must(seed < entries.length && !known.has(seed),
      "the key of a closed box is no seed of the list, or the set knows it");
    must(run <= BigInt(runs.length) && !set.has(from) && set.has(to),
      "a closed box belongs to no run, or is not sent from outside the set to a member");
  }
  const canAgree = (seed, before) => {
    const isOpen = (mine, other) => before.has(mine) && (before.has(other) || publicKeys.has(other));
    const [one, two] = entries[seed];
    return isOpen(one, two) || isOpen(two, one);
  };
  return { entries, order, known, publicKeys, secretKeys: new Set([...publicList, ...pairs.flat()]), canAgree };
}

// Whether this many uniform elements over F_q have at least 80 bits.
const areEnough = (elements, q) => elements >= 80n || q ** elements >= 1n << 80n;

// Rules 7 and 8.
function checkSeeds(seeds, fields, families, own, statement) {
  const entryOf = new Map(); // the field and the entry of each made seed
  for (const field of fields) {
    for (const entry of field.seeds) {
      must(entry.seed < seeds.entries.length && !entryOf.has(entry.seed), "the rows of a seed are listed twice, or the seed does not exist");
      entryOf.set(entry.seed, { field, entry });
    }
  }
  seeds.entries.forEach((keys, seed) => must(entryOf.has(seed) === (keys.length === 0),
    "a made seed has no rows, or an agreed seed has rows"));
  const before = new Set();
  for (const seed of seeds.order) {
    if (seeds.entries[seed].length) must(seeds.canAgree(seed, before), "rule 7: the set cannot agree on a known seed");
    else checkKnown(entryOf.get(seed), before, families, own);
    before.add(seed);
  }
  seeds.entries.forEach((keys, seed) => {
    const isKnown = seeds.known.has(seed);
    if (keys.length) return must(isKnown || !seeds.canAgree(seed, seeds.known), "rule 8: the set can agree on an unknown seed");
    const { field, entry } = entryOf.get(seed);
    must(isKnown || !entry.told.length, "rule 8: `told` is not empty for a seed that the set does not know");
    if (isKnown || statement === "leaks") return must(!entry.private.length,
      "rule 8: `private` is not empty for a seed that needs no private shifts");
    must(areEnough(BigInt(entry.private.length) * field.lanes, field.q),
      "rule 8: an unknown seed may be guessed: it has too few private shifts");
    must(entry.private.length === entry.rows.length || !seeds.secretKeys.has(seed),
      "rule 8: a row of an unknown secret key has no private shift");
  });
}

// Rule 7 for a made seed; `before` are the known seeds before it.
function checkKnown({ field, entry: { rows, told } }, before, families, own) {
  const sums = sumsModulo(field.q);
  must(!told.length || told.length === rows.length, "rule 7: `told` must be empty or have an entry for each row");
  told.forEach(([weights, ownForm], at) => {
    const sum = new Map();
    for (const [row, coefficient] of weights) {
      const box = field.boxOf[row];
      must(box === null || before.has(box), "rule 7: a box that gives a seed opens only with this seed or a later one");
      sums.add(sum, coefficient, field.rows[row]);
    }
    sums.add(sum, -1n, ownForm);
    sums.add(sum, -1n, rows[at]);
    must(isZero(sum), "rule 7: the messages give another row of a seed");
  });
  for (const form of told.length ? told.map(([, ownForm]) => ownForm) : rows) {
    for (const [u] of form) {
      const family = field.unknowns[u][0];
      must(own[family] && (families[family].seed === null || before.has(families[family].seed)),
        "rule 7: an unknown of a known seed is not own already");
    }
  }
}

// Rule 6.
function checkPrivate({ q, seeds: entries, rows: seenRows }, seeds) {
  const moves = new Map(); // by coin: the number of the entry, the row and the coefficient
  entries.forEach(({ private: shifts }, at) => {
    for (const [row, form] of shifts) {
      for (const [coin, value] of form) {
        if (!moves.has(coin)) moves.set(coin, []);
        moves.get(coin).push([`${at} ${row}`, value]);
      }
    }
  });
  if (!moves.size) return;
  const changes = (form) => {
    const sum = new Map();
    for (const [u, factor] of form) {
      for (const [shift, value] of moves.get(u) ?? []) sum.set(shift, ((sum.get(shift) ?? 0n) + factor * value) % q);
    }
    return sum;
  };
  for (const form of seenRows) must(isZero(changes(form)), "rule 6: a private shift changes a seen row");
  entries.forEach(({ seed, rows, private: shifts }, at) => {
    if (seeds.known.has(seed)) return;
    const shifted = new Set(shifts.map(([row]) => row));
    rows.forEach((form, row) => {
      for (const [shift, value] of changes(form)) {
        const isOfThisSeed = shift.startsWith(`${at} `);
        if (isOfThisSeed && !shifted.has(row)) continue;
        must(value === (shift === `${at} ${row}` ? 1n : 0n), "rule 6: a private shift changes another row, or its own row not by 1");
      }
      must(!shifted.has(row) || changes(form).get(`${at} ${row}`) === 1n, "rule 6: a private shift does not change its row by 1");
    });
  });
}

// ---- Arithmetic ----

function power(base, exponent, q) {
  let result = 1n;
  for (; exponent > 0n; exponent >>= 1n, base = base * base % q) {
    if (exponent & 1n) result = result * base % q;
  }
  return result;
}

// The test of Miller and Rabin. With these bases it is exact below 2^64.
function isPrime(q) {
  const bases = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n];
  if (q >= 1n << 64n) return false;
  if (q < 2n || bases.some((base) => q % base === 0n)) return bases.includes(q);
  let [odd, twos] = [q - 1n, 0];
  for (; odd % 2n === 0n; odd /= 2n) twos++;
  return bases.every((base) => {
    let value = power(base, odd, q);
    if (value === 1n) return true;
    for (let i = 1; i < twos && value !== q - 1n; i++) value = value * value % q;
    return value === q - 1n;
  });
}

// Adds forms modulo q.
function sumsModulo(q) {
  const add = (sum, factor, form) => { // factor lies in 1-q..q-1
    const times = factor < 0n ? q + factor : factor;
    for (const [unknown, coefficient] of form) {
      sum.set(unknown, ((sum.get(unknown) ?? 0n) + times * coefficient) % q);
    }
  };
  return { add };
}
const isZero = (sum) => { for (const value of sum.values()) if (value) return false; return true; };

// ---- One field (section 6) ----

function readField(field, certificate, { own, classes, toldSet }, listed, seeds) {
  const { modulus: q, lanes, unknowns, opened } = field;
  const { families, doors, runs } = certificate;
  const set = new Set(certificate.set);
  must(isPrime(q), "a modulus is not a prime below 2^64");

  const placesOf = new Map();
  for (const [family, first] of unknowns) {
    must(family < families.length && first + lanes <= families[family].size, "an unknown is outside its family");
    if (!placesOf.has(family)) placesOf.set(family, []);
    placesOf.get(family).push(first);
  }
  for (const places of placesOf.values()) {
    places.sort((a, b) => a < b ? -1 : Number(a > b));
    must(ascends(places, (a, b) => b - a >= lanes), "one unknown is listed twice");
  }
  const classOf = unknowns.map(([family]) => classes[family]);

  const { learned: functions, ideal, alike } = field;
  const words = readAlike(field, unknowns.length, classOf);
  const counts = { unknowns: unknowns.length, functions: functions.length, ideal: ideal.length,
    columns: alike === null ? functions.length : alike.columns.length };
  const isUnit = (coefficient) => coefficient >= 1n && coefficient < q;
  // Checks a row of a matrix. `row` has its kind and its place; `columns` is the kind of the columns.
  const checkPairs = (pairs, [kind, at], columns) => {
    must(pairs.every(([column]) => column < counts[columns]), "a form or list contains an index beyond the end of its table");
    must(ascends(pairs, ([a, , m = []], [b, , n = []]) => a < b || (a === b && comparePairs(m.flat(), n.flat()) < 0)),
      "the places of a form or list are not in ascending order");
    must(pairs.every(([, coefficient]) => isUnit(coefficient)), "a coefficient is not in 1..q-1");
    must(alike !== null || pairs.every(([, , matching]) => matching === undefined), "there is a matching, but no classes");
    if (alike === null) return;
    for (const [column, , matching = []] of pairs) {
      must(words.matchings(words.of(kind, at), words.of(columns, column)).some((each) => String(each) === String(matching)),
        "a matching is not one of its words");
    }
  };
  const checkForm = (form, kind = "rows", at = 0) => checkPairs(form, [kind, at], "unknowns");
  const only = (form, ...kinds) => form.every(([u]) => kinds.includes(classOf[u]));
  const checkNumbers = (numbers) => {
    must(BigInt(numbers.length) === (alike === null ? lanes : 0n), "a list of numbers does not have one number for each lane");
    must(numbers.every((number) => number < q), "a number is not in 0..q-1");
  };

  const rows = []; // of all messages
  const boxOf = []; // for each row, the seed that is the key of its box, or null
  for (const message of field.messages) {
    must(message.run <= BigInt(runs.length), "the run of a message does not exist");
    must(!set.has(message.from) && set.has(message.to),
      "the sender of a message is in the set, or its recipient is not");
    must(ascends(message.rows, ([a], [b]) => b - a >= lanes),
      "two rows of a message contain the same element, or are not in ascending order");
    const box = message.box === null ? null : message.box[1];
    must(box === null || (box < seeds.entries.length && seeds.known.has(box)), "the set does not know the key of a box");
    for (const [, form] of message.rows) { checkForm(form); rows.push(form); boxOf.push(box); }
    if (box !== null) continue;
    const elements = listed[Number(message.run) - 1];
    elements.set(message.tag, (elements.get(message.tag) ?? 0n) + lanes * BigInt(message.rows.length));
  }
  for (const [at, [, , form]] of (alike?.rows ?? []).entries()) { checkForm(form, "rows", at); rows.push(form); boxOf.push(null); }
  counts.rows = rows.length;
  for (const { door, form } of opened) {
    must(door < doors.length, "the door of an opened row does not exist");
    checkForm(form);
  }
  for (const [at, form] of ideal.entries()) {
    checkForm(form, "ideal", at);
    must(!form.some(([u]) => classOf[u] === "own"), "the ideal output contains unknowns of the set's own");
  }
  const hasChanges = field.changes !== null;
  const isFunction = (form) => only(form, "secret", hasChanges ? "secret" : "mixed");
  for (const [at, { function: form, weights, own: ownPart, values }] of functions.entries()) {
    checkForm(form, "functions", at);
    must(form.length && isFunction(form), "rule 1: a learned function does not consist of secrets only");
    must(weights.length && (alike === null || !ownPart.length), "a function has no weights, or own unknowns beside classes");
    checkPairs(weights.map(([row, factor, , ...matching]) => [row, factor, ...matching]), ["functions", at], "rows");
    checkPairs(ownPart.map(([u, factor, , ...matching]) => [u, factor, ...matching]), ["functions", at], "unknowns");
    for (const [, , numbers] of [...weights, ...ownPart]) checkNumbers(numbers);
    checkNumbers(values);
    for (const [u, , numbers] of ownPart) {
      const family = unknowns[u][0];
      must(own[family], "rule 1: an unknown is not the set's own");
      must(families[family].kind !== "public" || numbers.every((number) => number === 1n),
        "rule 1: the number of the public unknown is not 1");
    }
  }
  must(ascends(field.seeds, (a, b) => a.seed < b.seed), "the seeds of a field do not ascend");
  for (const { rows: forms, told, private: shifts } of field.seeds) {
    forms.forEach(checkForm);
    for (const [weights, ownForm] of told) { checkPairs(weights, ["rows", 0], "rows"); checkForm(ownForm); }
    must(ascends(shifts, ([a], [b]) => a < b) && shifts.every(([row]) => row < forms.length),
      "the rows of private shifts do not ascend, or one does not exist");
    for (const [, form] of shifts) {
      checkForm(form);
      must(only(form, "coin"), "a private shift contains an unknown that is not a coin");
    }
  }
  const shown = new Map(); // the numbers of each row and of each own unknown
  for (const { weights, own: ownPart } of field.learned) {
    for (const [key, triples] of [["row", weights], ["unknown", ownPart]]) {
      for (const [at, , numbers] of triples) {
        const before = shown.get(`${key} ${at}`) ?? numbers;
        must(numbers.every((number, lane) => number === before[lane]),
          "a row or unknown has different numbers in two entries");
        shown.set(`${key} ${at}`, before);
      }
    }
  }
  const checkCoin = (coin) => must(classOf[coin] === "coin", "a shift, a change or a given coin is not about a coin");
  const matrix = (key, kind, columns) => {
    must(ascends(field[key], ([a], [b]) => a < b), `the rows of \`${key}\` are not in ascending order`);
    for (const [at, row] of field[key]) {
      must(at < counts[kind] && row.length, `a row of \`${key}\` is empty or does not exist`);
      checkPairs(row, [kind, at], columns);
    }
    return { kind, columns, rows: new Map(field[key]) };
  };
  const matrices = {
    seen: { kind: "rows", columns: "unknowns", rows: new Map(rows.entries()) },
    functions: { kind: "functions", columns: "unknowns", rows: new Map(functions.map((each, at) => [at, each.function])) },
    handed: { kind: "ideal", columns: "unknowns", rows: new Map(ideal.entries()) },
    shift: matrix("shift", "unknowns", "unknowns"), rest: matrix("rest", "rows", "functions"),
    factor: matrix("factor", "functions", "ideal"), witness: matrix("witness", "unknowns", "columns"),
  };
  for (const [coin, form] of field.shift) {
    checkCoin(coin);
    must(isFunction(form), "rule 3: a shift does not consist of secrets only");
  }
  must(field.witness.every(([u]) => classOf[u] !== "own"), "rule 2: a change of `witness` is about the set's own unknowns");
  must(!field.witness.length || certificate.statement === "leaks", "rule 2: `witness` is for the statement `leaks` alone");
  must(new Set(field.given).size === field.given.length, "a coin is given twice");
  field.given.forEach(checkCoin);
  must(hasChanges ? lanes === 1n && !field.shift.length && !field.rest.length : !field.given.length,
    "there are several lanes or a shift beside changes, or given coins without changes");
  for (const [row, coin] of field.changes ?? []) {
    checkCoin(coin);
    must(row < rows.length + opened.length + field.given.length, "the row of a change does not exist");
  }
  return { ...field, q, classOf, classes, rows, boxOf, hasChanges, words, matrices };
}

// Returns the number of products that checking a field takes, as section 8 counts them.
function countProducts(field, seeds) {
  const { rows, classOf, words, matrices: { seen, functions, handed, shift, rest, factor, witness } } = field;
  const sum = (items, value) => [...items].reduce((total, item) => total + value(item), 0);
  const cost = (row, left, right) => sum(left, ([at]) => sum(right.rows.get(at) ?? [], ([column]) =>
    words === null ? 1 : words.matchings(words.of(...row), words.of(right.columns, column)).length));
  const coins = (form) => form.filter(([u]) => classOf[u] === "coin");
  let total = sum(rows.entries(), ([at, form]) => form.length + cost(["rows", at], coins(form), shift)
      + cost(["rows", at], rest.rows.get(at) ?? [], functions))
    + sum(field.learned.entries(), ([at, { weights, own }]) => cost(["functions", at], weights, seen) + own.length
      + cost(["functions", at], factor.rows.get(at) ?? [], handed)
      + sum([...weights, ...own], ([, , numbers]) => numbers.length));
  if (witness.rows.size) {
    for (const matrix of [handed, functions]) total += sum(matrix.rows, ([at, form]) => cost([matrix.kind, at], form, witness));
  }
  const shifts = new Map();
  for (const entry of field.seeds) {
    for (const [, form] of entry.private) for (const [u] of form) shifts.set(u, (shifts.get(u) ?? 0) + 1);
  }
  const shifted = (form) => sum(form, ([u]) => shifts.get(u) ?? 0);
  total += sum(rows, shifted)
    + sum(field.seeds, ({ seed, rows: forms }) => seeds.known.has(seed) ? 0 : sum(forms, shifted))
    + sum(field.seeds, ({ told, rows: forms }) => told.reduce((count, [weights, ownForm], at) => count
      + sum(weights, ([row]) => rows[row].length) + ownForm.length + (forms[at]?.length ?? 0), 0));
  return BigInt(total);
}

// ---- The rules (section 7) ----

// Adds a row of a matrix times another matrix to a sum, or subtracts it.
function multiply({ q, words }, sum, [kind, at], left, right, sign = 1n) {
  for (const [middle, factor, ...more] of left) {
    const times = sign * factor;
    for (const [column, value, second = []] of right.rows.get(middle) ?? []) {
      const put = (key, ways) => sum.set(key, (((sum.get(key) ?? 0n) + times * value * ways) % q + q) % q);
      if (words === null) { put(column, 1n); continue; }
      const [first = []] = more;
      const [row, inner, outer] = [words.of(kind, at), words.of(right.kind, middle), words.of(right.columns, column)];
      for (const matching of words.matchings(row, outer)) {
        put(keyOf(column, matching), words.middles(row, inner, outer, first, second, matching));
      }
    }
  }
  return sum;
}
const keyOf = (column, matching = []) => matching.length ? `${column};${matching.join(" ")}` : column;

function checkField(field, sums) {
  const { rows, classOf, matrices: { seen, functions, handed, shift, rest, factor, witness } } = field;
  const minus = (sum, form) => { for (const [u, value, matching] of form) sums.add(sum, -value, [[keyOf(u, matching), 1n]]); };

  for (const [at, { function: form, weights, own, values }] of field.learned.entries()) { // rule 1
    const plain = weights.map(([row, value, , matching = []]) => [row, value, matching]);
    const sum = multiply(field, new Map(), ["functions", at], plain, seen);
    minus(sum, own.map(([u, value]) => [u, value]));
    minus(sum, form);
    must(isZero(sum), "rule 1: the messages give another function than the learned one");
    values.forEach((value, lane) => {
      let total = -value;
      for (const [, coefficient, numbers] of weights) total += coefficient * numbers[lane];
      for (const [, coefficient, numbers] of own) total -= coefficient * numbers[lane];
      must(total % field.q === 0n, "rule 1: `weights` and `own` give other values than `values`");
    });
    if (!factor.rows.has(at)) continue;
    const given = multiply(field, new Map(), ["functions", at], factor.rows.get(at), handed); // rule 2
    minus(given, form);
    must(isZero(given), "rule 2: `factor` gives another function than the learned one");
  }
  for (const [at, form] of handed.rows) {
    must(isZero(multiply(field, new Map(), ["ideal", at], form, witness)), "rule 2: `witness` changes the ideal output");
  }
  if (field.hasChanges) return;
  for (const [at, form] of rows.entries()) { // rule 3
    const left = new Map();
    for (const [u, coefficient, matching] of form) {
      if (classOf[u] === "secret" || classOf[u] === "mixed") sums.add(left, coefficient, [[keyOf(u, matching), 1n]]);
    }
    multiply(field, left, ["rows", at], form.filter(([u]) => classOf[u] === "coin"), shift, -1n);
    multiply(field, left, ["rows", at], rest.rows.get(at) ?? [], functions, -1n);
    must(isZero(left), "rule 3: a row may tell more than the functions listed");
  }
}

// ---- Changes of coins (rules 4 and 5) ----
// A monomial is a text: the keys of its factors in order, each "family.place", or "-number" for the row of a
// change, separated by blanks. A polynomial maps monomials to coefficients other than 0.

function polynomials(q) {
  const accumulate = (total, other, factor) => {
    for (const [monomial, value] of other) {
      const sum = (((total.get(monomial) ?? 0n) + factor * value) % q + q) % q;
      if (sum) total.set(monomial, sum); else total.delete(monomial);
    }
    return total;
  };
  const monomialOf = (factors) => {
    const powers = new Map();
    for (const factor of factors) powers.set(factor, (powers.get(factor) ?? 0n) + 1n);
    return [...powers].sort(([a], [b]) => a < b ? -1 : 1)
      .flatMap(([factor, power]) => Array(Number((power - 1n) % (q - 1n) + 1n)).fill(factor)).join(" ");
  };
  const multiply = (left, right) => {
    const total = new Map();
    for (const [one, a] of left) {
      for (const [two, b] of right) accumulate(total, [[monomialOf([...factorsOf(one), ...factorsOf(two)]), a * b % q]], 1n);
    }
    return total;
  };
  return { accumulate, monomialOf, multiply };
}
const factorsOf = (monomial) => monomial === "" ? [] : monomial.split(" ");
const contains = (polynomial, factor) => [...polynomial.keys()].some((monomial) => factorsOf(monomial).includes(factor));

// Makes all changes. Returns the rows after them, tests for their unknowns, and the number of products.
function changeCoins(field, families, limit) {
  const { q, rows, opened, given, unknowns, classes, changes } = field;
  const { accumulate, monomialOf, multiply: times } = polynomials(q);
  const polynomial = (form) => form.reduce((total, [u, value]) => {
    const [family, at] = unknowns[u];
    const { kind, factors } = families[family];
    const keys = kind === "public" ? [] : factors.length ? factors.map(([f, p]) => `${f}.${p}`) : [`${family}.${at}`];
    return accumulate(total, [[monomialOf(keys), value]], 1n);
  }, new Map());
  const changed = [...rows, ...opened.map(({ form }) => form), ...given.map((coin) => [[coin, 1n]])].map(polynomial);
  const isSeen = (row) => !(row >= rows.length && row < rows.length + opened.length) || opened[row - rows.length].seen;
  let products = 0;
  changes.forEach(([row, unknown], number) => {
    const [family, at] = unknowns[unknown];
    const coin = `${family}.${at}`;
    const value = new Map(changed[row]);
    const factor = value.get(coin);
    value.delete(coin);
    must(factor !== undefined && !contains(value, coin), "rule 4: the coin of a change does not occur alone in the row");
    const scale = power(factor, q - 2n, q);
    for (const [monomial, other] of value) value.set(monomial, (q - scale) * other % q);
    value.set(`-${number}`, scale);
    changed.forEach((form, place) => {
      if (!contains(form, coin)) return;
      const total = new Map();
      for (const [monomial, coefficient] of form) {
        const factors = factorsOf(monomial);
        let terms = new Map([[factors.filter((each) => each !== coin).join(" "), coefficient]]);
        for (const each of factors) {
          if (each !== coin) continue;
          products += terms.size * value.size;
          must(products <= limit, "the changes of coins take too many products");
          terms = times(terms, value);
        }
        accumulate(total, terms, 1n);
      }
      changed[place] = total;
    });
  });
  const moves = (key) => key[0] === "-" ? isSeen(changes[-Number(key)][0]) : classes[key.split(".")[0]] === "told";
  const isKnown = (key) => moves(key) || (key[0] !== "-" && classes[key.split(".")[0]] === "own");
  return { changed, isSeen, moves, isKnown, polynomial, accumulate, products };
}

// Returns a function: what is left of a row beside what the set knows and what some ideal rows tell.
function besideKnown({ isKnown, polynomial, accumulate }, ideal, q) {
  const forms = ideal.map(polynomial);
  const handed = new Set(forms.filter((form) => form.size === 1).flatMap((form) => [...form.keys()]));
  const openPart = (form) => new Map([...form].filter(([monomial]) =>
    !factorsOf(monomial).every((key) => isKnown(key) || handed.has(key))));
  const basis = [];
  const reduced = (form) => {
    const rest = openPart(form);
    for (const [pivot, other] of basis) accumulate(rest, other, -(rest.get(pivot) ?? 0n));
    return rest;
  };
  for (const form of forms) {
    const rest = reduced(form);
    if (!rest.size) continue;
    const [pivot, value] = [...rest][0];
    basis.push([pivot, accumulate(new Map(), rest, power(value, q - 2n, q))]);
  }
  return reduced;
}

function checkChanges(certificate, fields, toldSet) {
  const { doors, statement } = certificate;
  const rowsOf = doors.map(() => []);
  const present = new Set();
  for (const field of fields) {
    const { changed, isSeen, moves } = field.after;
    const left = besideKnown(field.after, statement === "output-only" ? field.ideal : [], field.q);
    const familiesOf = (form) => [...form.keys()].flatMap(factorsOf).filter((key) => key[0] !== "-").map((key) => Number(key.split(".")[0]));
    changed.forEach((form, row) => {
      if (isSeen(row)) {
        must(!left(form).size, "rule 4: a row may tell more than what is listed");
        familiesOf(form).forEach((family) => present.add(family));
      }
      const at = row - field.rows.length;
      if (at < 0 || at >= field.opened.length) return;
      rowsOf[field.opened[at].door].push({
        isKnown: isSeen(row) || !left(form).size,
        moves: isSeen(row) || [...form.keys()].flatMap(factorsOf).some(moves),
        families: familiesOf(form),
      });
    });
  }
  let needed = doors.map((_, door) => door);
  for (;;) {
    const all = new Set([...present, ...needed.flatMap((door) => rowsOf[door].flatMap(({ families }) => families))]);
    const kept = needed.filter((door) => doors[door].discloses || toldSet.has(doors[door].made) || all.has(doors[door].made));
    if (kept.length === needed.length) break;
    needed = kept;
  }
  for (const door of needed) {
    const { in_full: inFull, has_input: hasInput, made } = doors[door];
    const rows = rowsOf[door];
    if (inFull && !hasInput) must(rows.every((row) => row.isKnown || !row.moves), "rule 5: a row of a door may depend on messages");
    else if (toldSet.has(made) || rows.some((row) => row.moves)) {
      must(rows.every((row) => row.isKnown) && !hasInput && (made === null || toldSet.has(made)),
        "rule 5: what a door makes or tells may depend on messages");
    }
  }
}

// ---- The statement (section 8) ----

// A name from the file must not look like other text of the statement, nor like another name.
const printable = (words) => words.replace(/[^A-Za-z0-9._-]/gu,
  (character) => `\\u{${character.codePointAt(0).toString(16)}}`);

const counted = (count, noun) => `${count} ${noun}${count === 1n ? "" : "s"}`;

const MOST_NAMED = 5; // members of the set

function prove({ statement, set }, fields, seeds) {
  const total = (count) => fields.reduce((sum, field) => sum + count(field), 0n);
  const vectors = (field) => field.rows.reduce((sum, _, at) => sum + (field.words?.size("rows", at) ?? 1n), 0n);
  const learned = fields.some((f) => f.learned.length);
  const more = set.length > MOST_NAMED ? ` and ${set.length - MOST_NAMED} more` : "";
  const who = `{${set.slice(0, MOST_NAMED).map(printable).join(", ")}${more}}`;
  const opening = `Proved: what is listed here (${counted(total(vectors), "vector")}, `
    + `${counted(total((f) => vectors(f) * f.lanes), "field element")}) tells ${who}`;
  const linear = `${opening} the linear functions of the secrets of other parties that are listed`;

  const unknown = seeds.entries.filter((keys, seed) => !keys.length && !seeds.known.has(seed)).length;
  const model = unknown === 0 ? ""
    : ` The coalition does not know ${unknown === 1 ? "1 seed or key" : `${unknown} seeds and keys`} made from field elements. `
      + "Assumed: ideal random functions, key agreement and encryption, and that nobody guesses 80 bits.";
  if (statement === "no-shares") return `Nothing was to be proved of ${who}: according to this file, no field element was sent.`;
  if (statement === "nothing") {
    must(!learned, "functions are listed, but the statement is `nothing`");
    return `${opening} nothing about the secrets of other parties.${model}`;
  }
  if (statement === "output-only") {
    must(learned, "no function is learned, but the statement is `output-only`");
    must(fields.every((f) => f.factor.length === f.learned.length), "a function does not follow from the ideal output");
    must(fields.every((f) => f.ideal.every((form) => form.every(([u]) => f.classOf[u] === "secret"))),
      "the ideal output does not consist of secrets only");
    const rest = fields.some((f) => f.hasChanges) ? "at most what follows" : "no more; each follows";
    return `${linear}, and ${rest} from the ideal output listed here.${model}`;
  }
  const escapes = (f) => [...f.matrices.functions.rows].some(([at, form]) =>
    !isZero(multiply(f, new Map(), ["functions", at], form, f.matrices.witness)));
  must(fields.some(escapes), "no function exceeds the ideal output, but the statement is `leaks`");
  return `${linear}; they do not all follow from the ideal output listed here.`;
}

// ---- Parties who are alike (section 10) ----

const LONGEST_WORD = 4;

const count = (items, wanted) => items.filter((item) => item === wanted).length;
const comparePairs = (a, b) => { // the order of lists of numbers
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
};

function unused(sizes, row, column, matching, of) { // the parties of a class that are in neither tuple
  const present = count(row, of) + count(column, of) - matching.filter(([p]) => row[p] === of).length;
  return sizes[of] - BigInt(present);
}

function matchingsOf(sizes, row, column, from = 0, used = []) {
  if (from === row.length) {
    const fits = [...new Set([...row, ...column])].every((of) => unused(sizes, row, column, used, of) >= 0n);
    return fits ? [used] : [];
  }
  const found = matchingsOf(sizes, row, column, from + 1, used);
  column.forEach((of, r) => {
    if (of === row[from] && !used.some(([, other]) => other === r)) {
      found.push(...matchingsOf(sizes, row, column, from + 1, [...used, [from, r]]));
    }
  });
  return found;
}

function middles(sizes, row, middle, column, first, second, matching) {
  const [toRow, toColumn] = [new Map(first.map(([p, x]) => [x, p])), new Map(second)];
  const [byRow, byColumn] = [new Map(matching), new Map(matching.map(([p, r]) => [r, p]))];
  for (const [x, p] of toRow) if (byRow.get(p) !== toColumn.get(x)) return 0n;
  for (const [x, r] of toColumn) if (byColumn.get(r) !== toRow.get(x)) return 0n;
  let ways = 1n;
  const taken = new Map();
  middle.forEach((of, x) => {
    if (toRow.has(x) || toColumn.has(x)) return;
    const already = taken.get(of) ?? 0n;
    const left = unused(sizes, row, column, matching, of) - already;
    ways *= left > 0n ? left : 0n;
    taken.set(of, already + 1n);
  });
  return ways;
}

// Returns the words of rows and columns, and what is counted with them; null if there are no classes of parties.
function readAlike({ alike, messages, opened, given, seeds, changes, learned, ideal }, unknowns, classOf) {
  if (alike === null) return null;
  must(![messages, opened, given, seeds].some((each) => each.length) && changes === null
    && classOf.every((each) => each === "coin" || each === "secret"), "there are messages, doors, seeds or changes beside classes");
  const sizes = alike.classes.map(([, size]) => size);
  const words = { ...alike, rows: alike.rows.map(([, word]) => word) };
  const numbers = { unknowns, functions: learned.length, ideal: ideal.length };
  for (const [kind, number] of Object.entries(numbers)) must(words[kind].length === number, `\`${kind}\` has another number of words`);
  for (const word of ["rows", "unknowns", "functions", "ideal", "columns"].flatMap((kind) => words[kind])) {
    must(word.length <= LONGEST_WORD && word.every((of) => of < sizes.length),
      "a word is too long, or names a class that does not exist");
  }
  const found = new Map();
  const matchings = (row, column) => {
    const key = `${row};${column}`;
    if (!found.has(key)) found.set(key, matchingsOf(sizes, row, column));
    return found.get(key);
  };
  const of = (kind, at) => words[kind][at];
  const size = (kind, at) => of(kind, at).reduce((ways, each, place, word) => {
    const left = sizes[each] - BigInt(count(word.slice(0, place), each));
    return ways * (left > 0n ? left : 0n);
  }, 1n);
  return { of, size, matchings, middles: (...parts) => middles(sizes, ...parts) };
}

// Checks a certificate, with a pause (a `yield`) after each part, so that a page can answer in between.
function* checkSource(source, limit) {
  const marked = readCanonical(source);
  yield;
  const certificate = CERTIFICATE(marked);
  yield;
  const { runs, set, statement, families, doors, told, protocol, disclosed } = certificate;
  must(certificate.version === 6n, `this is a certificate of version ${certificate.version}, expected version 6`);
  must(new Set(set).size === set.length, "a member is named twice");
  if (statement === "no-shares" || statement === "leaks") {
    must(!doors.length && !told.length, `doors or told families are listed, but the statement is \`${statement}\``);
  }
  if (statement === "no-shares") {
    const { seeds: entries, known, public_keys: publicKeys, closed } = certificate;
    must([families, certificate.fields, entries, known, publicKeys, closed].every((each) => !each.length),
      "families, fields or seeds are listed, but the statement is `no-shares`");
    must(runs.every(({ sent }) => [...sent.values()].every(([, elements]) => elements === 0n)),
      "a field element was sent, but the statement is `no-shares`");
  }
  const seeds = readSeeds(certificate);
  const kinds = classify(certificate, seeds);
  const listed = runs.map(() => new Map()); // the number of listed elements, by run and tag
  const fields = [];
  for (const field of certificate.fields) {
    fields.push(readField(field, certificate, kinds, listed, seeds));
    yield;
  }
  must(ascends(fields, (a, b) => a.modulus <= b.modulus), "the moduli of the fields are not in ascending order");
  const inField = new Map(); // by family
  fields.forEach((field, at) => field.unknowns.forEach(([number]) => {
    for (const family of [number, ...families[number].factors.map(([factor]) => factor)]) {
      if (families[family].kind === "public") continue;
      must((inField.get(family) ?? at) === at, "a family has unknowns in two fields");
      inField.set(family, at);
    }
  }));
  const hasChanges = fields.length > 0 && fields[0].hasChanges;
  must(fields.every((field) => field.hasChanges === hasChanges), "`changes` is null in some fields only");
  must(!hasChanges || (statement !== "leaks" && !certificate.seeds.length), "changes are listed beside seeds or a leak");
  must(hasChanges || (!doors.length && !kinds.toldSet.size), "doors or told families are listed without changes");
  must(hasChanges || statement === "leaks" || fields.every((field) => !field.classOf.includes("mixed")),
    "a monomial contains a coin, but there are no changes");
  listed.forEach((counts, run) => counts.forEach((elements, tag) => {
    must(elements <= (runs[run].sent.get(tag)?.[1] ?? 0n), "more elements are listed under a tag than were sent");
  }));

  for (const field of fields) if (hasChanges) field.after = changeCoins(field, families, 100_000_000);
  const products = fields.reduce((sum, field) => sum + countProducts(field, seeds) + BigInt(field.after?.products ?? 0), 0n);
  must(products <= BigInt(limit), `the check takes ${products} products, more than the limit of ${limit} products`);
  checkSeeds(seeds, fields, families, kinds.own, statement);
  for (const field of fields) {
    checkPrivate(field, seeds);
    checkField(field, sumsModulo(field.q));
    yield;
  }
  if (hasChanges) checkChanges(certificate, fields, kinds.toldSet);
  const proved = prove(certificate, fields, seeds);
  const notShown = "Not shown by this file: that these are the equations, coins, seeds, doors and ideal output of "
    + `${printable(protocol.name)}, and what disclosed values tell (${disclosed.tier}). `
    + "`simnet verify --check` reads the run again.";
  const lists = statement === "no-shares" || fields.some((field) => field.rows.length);
  return { products, proved, notShown, lists, certificate };
}

// The content of a certificate as an object, whatever it proves.
export const parsed = (source) => CERTIFICATE(readCanonical(source));

export function check(source, limit = 100_000_000) {
  const steps = checkInSteps(source, limit);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

// The same check as a generator, which pauses after each part of the check of section 7 and returns the result.
export function* checkInSteps(source, limit = 100_000_000) {
  try {
    return yield* checkSource(source, limit);
  } catch (error) { // JSON.parse raises errors too, and so does node for a text or number that is too long
    if (error instanceof BadCertificate) throw error;
    throw new BadCertificate("the text cannot be read as a certificate", { cause: error });
  }
}

// ---- The command ----

async function main(args) {
  const { readFileSync } = await import("node:fs");
  let limit = 100_000_000n;
  if (args[0] === "--limit" && /^[0-9]+$/.test(args[1])) limit = BigInt(args.splice(0, 2)[1]);
  if (!args.length || args[0].startsWith("--")) {
    console.error("usage: node check.mjs [--limit N] FILE...");
    return 2;
  }
  let status = 0;
  for (const file of args) {
    const prefix = args.length > 1 ? `${file}: ` : "";
    try {
      const source = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
      const { products, proved, notShown, lists } = check(source, limit);
      must(lists, "it lists no message, so by itself it proves nothing");
      console.log(`Checking takes ${products} products.\n${prefix}${proved}\n${notShown}`);
    } catch (error) {
      const why = error.syscall ? `the file cannot be read: ${error.code}`
        : `the certificate is refused: ${error instanceof BadCertificate ? error.message : "it is not in UTF-8"}`;
      console.error(`${prefix}${why}`);
      status = 1;
    }
  }
  return status;
}

if (typeof process !== "undefined" && process.argv?.[1]) { // not in a browser
  const [{ existsSync, realpathSync }, { pathToFileURL }] = [await import("node:fs"), await import("node:url")];
  const script = process.argv[1];
  if (existsSync(script) && import.meta.url === pathToFileURL(realpathSync(script)).href) {
    process.exitCode = await main(process.argv.slice(2));
  }
}
