// Compares what the page says with the certificates that Python has written, and draws from them.
//
// Theory of operation. A certificate proves something about the messages that it lists; `check`, the same reader
// that node runs, reads it and checks the proof. `contradictions` compares it with what the page shows: the
// coalition, the verdict, the functions and what is said of each, whose secrets are exposed, what is
// disclosed, and the messages that reach the coalition. The sentence about a verdict is made here, from what was
// compared; it is not in the data.
//
// Numbers of the page are JavaScript's numbers, or texts such as "#1152921504606846976" from 2^53 on.

import { check, checkInSteps, parsed } from "../adversary/check.mjs";

const whole = (value) => BigInt(typeof value === "string" ? value.slice(1) : value);

// ---- The certificates ----

// A value of a page's data that is computed once, and only if it is needed.
const once = (compute) => {
  const known = new WeakMap();
  return (data) => {
    if (!known.has(data)) known.set(data, compute(data));
    return known.get(data);
  };
};

const certificatesOf = once(() => []);

// Returns the certificate of a verdict as an object, or null if the page has no proof of it.
export function certificateOf(data, { proof }) {
  return proof === undefined ? null : certificatesOf(data)[proof] ??= drawn(parsed(data.proofs[proof]));
}

// A certificate with numbers, as a page has them, for what is no residue.
function drawn(certificate) {
  const ofMessage = ({ round, key, piece, ...rest }) =>
    ({ ...rest, round: Number(round), key: key === null ? null : Number(key), piece: Number(piece) });
  const places = (pairs) => pairs.map(([family, place]) => [family, Number(place)]);
  const families = certificate.families.map((family) => ({ ...family, factors: places(family.factors) }));
  const fields = certificate.fields.map((field) => ({
    ...field, lanes: field.lanes, unknowns: places(field.unknowns),
    messages: field.messages.map(({ rows, ...message }) => (
      { ...ofMessage(message), rows: rows.map(([element, form]) => [Number(element), form]) })),
  }));
  return { ...certificate, families, fields, closed: certificate.closed.map(ofMessage) };
}

// ---- What the page says, compared with the certificate ----

const secretKey = (holder, number, item, run) => JSON.stringify([holder, Number(number), item, run ?? null]);

// The functions of secrets that a certificate proves, one for each lane.
function provedFunctions(certificate) {
  const named = [];
  for (const { modulus, learned, unknowns, factor: following } of certificate.fields) {
    for (const [at, { function: form, values }] of learned.entries()) {
      const inOutput = following.some(([row]) => row === at);
      values.forEach((value, lane) => {
        const terms = form.map(([unknown, factor]) => {
          const [family, place] = unknowns[unknown];
          return [termsOf(certificate.families, family, place + lane), String(factor)];
        });
        const isSingle = form.length === 1 && certificate.families[unknowns[form[0][0]][0]].kind === "secret";
        named.push({ modulus, value, inOutput, isSingle, terms: new Map(terms), isNamed: terms.every(([key]) => key !== null) });
      });
    }
  }
  return named.filter(({ isNamed }) => isNamed);
}

function termsOf(families, number, place) {
  const { kind, holders, label, factors } = families[number];
  if (kind === "monomial") return factors.map(([factor, at]) => termsOf(families, factor, at)).sort().join("·");
  if (kind !== "secret") return null;
  return secretKey(holders[0], label.split("/")[0], place + 1);
}

function keyOfSecret(data, place) {
  const [party, number, item] = data.secrets[place];
  return secretKey(data.parties.names[party], number, item);
}

function shownFunction(data, { terms, products = [], modulus, value }) {
  const key = (place) => keyOfSecret(data, place);
  const named = terms.map(([place, factor]) => [key(place), String(whole(factor))]);
  for (const [factors, factor] of products) named.push([factors.map(key).sort().join("·"), String(whole(factor))]);
  return { modulus: whole(modulus), value: value === undefined ? null : whole(value), terms: new Map(named) };
}

const isSame = (shown, proved) => shown.modulus === proved.modulus
  && (shown.value === null || shown.value === proved.value)
  && shown.terms.size === proved.terms.size
  && [...shown.terms].every(([key, factor]) => proved.terms.get(key) === factor);

const linkKey = (...parts) => JSON.stringify(parts);

// Returns sentences: what the page says about a coalition, and its certificate does not.
export function contradictions(data, verdict, certificate) {
  const found = [];
  const { names } = data.parties;
  const members = new Set(verdict.members);
  if (String(verdict.members.map((number) => names[number])) !== String(certificate.set)) found.push("the proof is about another set");
  if (certificate.statement !== verdict.finding) {
    found.push(`the page says that the verdict is "${verdict.finding}", but the proof is about "${certificate.statement}"`);
  }
  for (const end of [verdict.least, verdict.most]) {
    if (end !== certificate.statement) found.push(`the page says that an end of the verdict is "${end}", but the proof is about "${certificate.statement}"`);
  }
  const proved = provedFunctions(certificate);
  for (const [place, learned] of (verdict.functions ?? []).entries()) {
    const shown = shownFunction(data, learned);
    const same = proved.find((each) => isSame(shown, each));
    if (!same) found.push(`equation ${place + 1} of the page is none of the proved equations`);
    else if (same.inOutput !== learned.in_output) {
      found.push(`equation ${place + 1} ${same.inOutput ? "follows" : "does not follow"} from the output, but the page says the opposite`);
    }
  }
  if ((verdict.functions ?? []).length + verdict.more !== proved.length) {
    found.push(`the proof has ${proved.length} equations, but the page counts ${(verdict.functions ?? []).length + verdict.more}`);
  }
  const single = new Set(proved.filter(({ isSingle }) => isSingle).flatMap(({ terms }) => [...terms.keys()]));
  const exposed = new Set((verdict.exposed ?? []).map((place) => keyOfSecret(data, place)));
  if (single.size !== exposed.size || [...single].some((key) => !exposed.has(key))) found.push("the page names other exposed secrets than the proof does");
  const { independent, tier, argument } = certificate.disclosed;
  const disclosed = data.disclosures[verdict.disclosed];
  if (disclosed.tier !== tier || disclosed.argument !== argument || disclosed.is_nothing !== (independent === true && ["proved", "enumerated"].includes(tier))) {
    found.push("the page says something else about disclosed values than the proof does");
  }
  if (data.traffic.round === undefined) return found;
  const { round, from, to, tag, tags, elements } = data.traffic;
  const reaching = new Set(); // with field elements
  const arriving = new Set(); // with anything, such as boxes
  round.forEach((r, i) => {
    if (!members.has(to[i]) || members.has(from[i])) return;
    const link = linkKey(r, names[from[i]], names[to[i]], tags[tag[i]]);
    arriving.add(link);
    if (elements[i]) reaching.add(link);
  });
  const listed = new Set();
  const boxes = [...certificate.closed];
  for (const field of certificate.fields) {
    for (const message of field.messages) {
      if (message.box !== null) boxes.push(message);
      else listed.add(linkKey(message.round, message.from, message.to, message.tag));
    }
  }
  if (certificate.statement === "no-shares") return found;
  for (const box of boxes) {
    const link = linkKey(box.round, box.from, box.to, box.tag);
    if (!arriving.has(link)) found.push(`the proof lists a box that is not on the page: ${link}`);
  }
  for (const link of listed) if (!reaching.has(link)) found.push(`the proof lists a message that is not on the page: ${link}`);
  for (const link of reaching) if (!listed.has(link)) found.push(`the proof leaves out a message of the page: ${link}`);
  return found;
}

// Checks a verdict of the page. Returns {proved} or {failed: [sentences]}, or null if the page has no proof.
export function checked(data, verdict) {
  try {
    const { proof } = verdict;
    return proof === undefined ? null : outcome(data, verdict, check(data.proofs[proof]));
  } catch (error) {
    return { failed: [error.message] };
  }
}

// Does the same in several tasks, with a pause after each, so that a page answers while it checks a long proof.
export async function checkedInSteps(data, verdict, pause) {
  try {
    const steps = checkInSteps(data.proofs[verdict.proof]);
    for (let step = steps.next(); ; step = steps.next()) {
      await pause();
      if (step.done) return outcome(data, verdict, step.value);
    }
  } catch (error) {
    return { failed: [error.message] };
  }
}

function outcome(data, verdict, { proved, certificate }) {
  const failed = contradictions(data, verdict, drawn(certificate));
  return failed.length ? { failed } : { proved };
}

// ---- What follows for a set that was not judged ----

// Two facts pass from judged sets to others, and only these (docs/proofs/breaking-sets.md): a larger set exposes
// whom a smaller one exposes, unless that party joins; and a smaller set learns nothing about a party that is
// outside a set which learns nothing.
export function byInclusion(data, members) {
  const set = new Set(members);
  const exposed = new Map();
  const safe = new Map();
  for (const verdict of data.verdicts) {
    if (verdict.members.every((number) => set.has(number)) && verdict.finding !== "undecided") {
      for (const place of verdict.exposed ?? []) {
        const [party] = data.secrets[place];
        if (!set.has(party) && !exposed.has(party)) exposed.set(party, verdict);
      }
    }
    if (verdict.finding !== "nothing") continue;
    const judged = new Set(verdict.members);
    if (!members.every((number) => judged.has(number))) continue;
    for (const party of data.declaring) if (!judged.has(party) && !safe.has(party)) safe.set(party, verdict);
  }
  const others = data.declaring.filter((party) => !set.has(party));
  return { exposed, safe, learnsNothing: others.length > 0 && others.every((party) => safe.has(party)) };
}

// ---- Which message is which ----

const linkOf = (round, from, to, tag, key) => linkKey(round, from, to, tag, key ?? null);

// Some parties send several messages of one tag, round and key to the same recipient. Returns for each message of the
// page its number among these, from 1, and how many they are.
export function twinsOf({ traffic, parties: { names } }) {
  const { round = [], from, to, tag, tags, key } = traffic;
  const places = new Map();
  round.forEach((r, i) => {
    const link = linkOf(r, names[from[i]], names[to[i]], tags[tag[i]], key[i]);
    if (!places.has(link)) places.set(link, []);
    places.get(link).push(i);
  });
  const twins = new Array(round.length);
  for (const group of places.values()) group.forEach((i, n) => { twins[i] = { number: n + 1, count: group.length }; });
  return { twins, places };
}

// Returns the place of a proof's message among the messages of the page, or null if it cannot be told.
function placeOf({ places }, messages, message) {
  const link = (each) => linkOf(each.round, each.from, each.to, each.tag, each.key);
  const found = places.get(link(message)) ?? [];
  if (found.length < 2) return found[0] ?? null;
  const part = (each) => `${each.piece} ${each.box?.[0]}`;
  const alike = messages.filter((each) => link(each) === link(message) && part(each) === part(message));
  return alike.length === found.length ? found[alike.indexOf(message)] : null;
}

// ---- Seeds ----

// What a coalition knows of the seeds of a certificate: their names in words, and how it knows them.
export class Seeds {
  constructor(certificate) {
    this.certificate = certificate;
    this.known = new Set(certificate.known);
    this.made = new Map();
    for (const field of certificate.fields) {
      const rows = field.messages.flatMap((message) => message.rows.map(() => message));
      for (const { seed, rows: forms, told } of field.seeds) {
        const families = forms.flat().map(([unknown]) => certificate.families[field.unknowns[unknown][0]]);
        const holders = new Set(families.flatMap((family) => family.holders));
        const parents = new Set(families.filter(({ kind }) => kind === "stream").map((family) => family.seed));
        const from = new Set(told.flatMap(([weights]) => weights.map(([row]) => rows[row])));
        this.made.set(seed, { holders: [...holders], parents: [...parents], from: [...from], messages: field.messages });
      }
    }
    this.keys = new Set([...certificate.public_keys, ...certificate.seeds.flat()]);
  }

  holders(seed) { return this.made.get(seed)?.holders.join(" and ") || "somebody"; }

  // The name of a seed, such as "the seed on which u1 and u2 agreed".
  name(seed) {
    const agreed = this.certificate.seeds[seed];
    if (agreed.length) return `the seed on which ${[...new Set(agreed)].map((key) => this.holders(key)).join(" and ")} agreed`;
    const { parents = [] } = this.made.get(seed) ?? {};
    if (parents.length) return `the seed made from ${parents.map((each) => this.name(each)).join(" and ")}`;
    if (!this.keys.has(seed)) return `the seed that ${this.holders(seed)} drew`;
    const alike = [...this.keys].filter((key) => this.holders(key) === this.holders(seed)).sort((a, b) => a - b);
    return `secret key ${alike.length > 1 ? `${alike.indexOf(seed) + 1} ` : ""}of ${this.holders(seed)}`;
  }

  // How the coalition knows a seed: a sentence, and the messages that give the seed. Null for a seed that it does not know.
  reason(seed) {
    if (!this.known.has(seed)) return null;
    const agreed = this.certificate.seeds[seed];
    if (agreed.length) {
      const known = agreed.filter((key) => this.known.has(key));
      const own = known.find((key) => !this.made.get(key)?.from.length) ?? known[0]; // rather a member's than one put together
      const other = agreed.find((key) => key !== own) ?? own;
      const { words, ...from } = this.reason(own);
      const second = this.certificate.public_keys.includes(other) ? `the public key of ${this.holders(other)}, which is no secret` : this.name(other);
      return { words: `It follows from ${this.name(own)} and ${second}. ${words}`, ...from };
    }
    const made = this.made.get(seed);
    if (!made) return { words: "The set knows it.", messages: [] };
    const name = this.name(seed);
    const start = name[0].toUpperCase() + name.slice(1);
    if (!made.from.length && made.parents.length) {
      const [first, ...others] = made.parents.map((each) => this.reason(each)).filter(Boolean);
      return first && { ...first, words: [first, ...others].map(({ words }) => words).join(" ") };
    }
    if (!made.from.length) return { words: `${start} is known, because ${made.holders.find((each) => this.certificate.set.includes(each))} is in the set.`, messages: [] };
    return { words: `${start} can be put together from these messages:`, messages: made.from, all: made.messages };
  }
}

// ---- Words ----

const PARTIES_NAMED = 3;
const TERMS_NAMED = 4;
const FINDINGS = { nothing: "nothing", "output-only": "only the output", leaks: "more than the output", "no-shares": "no shares", undecided: "undecided" };
const counted = (count, one, several) => `${count} ${count === 1 ? one : several}`;

// Exposed secrets by party, such as "u7's items 1, 2, 3 and items 1, 2 of its secret 2".
function exposedInWords(data, places) {
  const parties = new Map();
  for (const place of places) {
    const [party, number, item, size] = data.secrets[place];
    if (!parties.has(party)) parties.set(party, new Map());
    const numbers = parties.get(party);
    if (!numbers.has(number)) numbers.set(number, { items: new Set(), size });
    numbers.get(number).items.add(item);
  }
  const words = [...parties].map(([party, numbers]) => `${data.parties.names[party]}'s ${[...numbers].map(([number, { items, size }]) => {
    const several = items.size > 1;
    const listed = [...items].slice(0, TERMS_NAMED).join(", ") + (items.size > TERMS_NAMED ? "..." : "");
    const name = number ? `secret ${number + 1}` : "secret";
    if (size === data.items) return `item${several ? "s" : ""} ${listed}${number ? ` of its ${name}` : ""}`;
    return items.size === size ? name : `${name} (${several ? "entries" : "entry"} ${listed})`;
  }).join(" and ")}`);
  const hidden = words.length - PARTIES_NAMED;
  return words.slice(0, PARTIES_NAMED).join("; ") + (hidden > 0 ? ` and ${counted(hidden, "more party", "more parties")}` : "");
}

// What a coalition learns, as the end of a sentence that begins with the coalition.
export function headline(data, verdict) {
  const disclosed = data.disclosures[verdict.disclosed];
  if (verdict.finding === "no-shares") return `receives no secret shares and learns only what is disclosed (${disclosed.words})`;
  const besides = disclosed.is_nothing ? "" : `; disclosed values: ${disclosed.words}`;
  const exposed = exposedInWords(data, verdict.exposed ?? []);
  const functions = verdict.functions ?? [];
  if (verdict.finding === "nothing") return `learns nothing${disclosed.is_nothing ? "" : " from secret shares"}${besides}`;
  if (verdict.finding === "output-only") return `learns nothing beyond the output; the output itself gives ${exposed || "the sums that are listed below"}${besides}`;
  if (verdict.finding === "leaks") {
    const beyond = functions.find((learned) => !learned.in_output);
    return `learns ${exposed || (beyond ? equation(data, beyond) : "more than the output")}${besides}`;
  }
  const listed = functions.length ? " (see the functions listed)" : "";
  return `learns at least ${FINDINGS[verdict.least]}${listed} and at most ${FINDINGS[verdict.most]}${besides}`;
}

export function secretName(data, place) {
  const [party, number, item, , run] = data.secrets[place];
  return `${data.parties.names[party]}${"'".repeat(number)}[${item}]${run === undefined ? "" : ` (run ${run})`}`;
}

const signed = (factor, modulus) => factor > modulus / 2n ? factor - modulus : factor;

function sum(terms, modulus) { // pairs of a name and a coefficient
  let hidden = 0;
  const parts = terms.map(([name, factor]) => {
    if (factor === null) return `+ c${++hidden} ${name}`; // a number that the page keeps back
    const value = signed(whole(factor), whole(modulus));
    const size = value < 0n ? -value : value;
    return `${value < 0n ? "-" : "+"} ${size === 1n ? "" : `${size} `}${name}`;
  });
  return parts.join(" ").replace(/^\+ /, "");
}

// What "modulo" means for these functions, which may be over several fields.
export function moduloInWords(functions) {
  const moduli = [...new Set(functions.map(({ modulus }) => `${whole(modulus)}`))];
  const [which, q] = moduli.length === 1 ? [`All numbers are modulo ${moduli[0]}`, moduli[0]] : ["Each line names its modulus", "it"];
  return `${which}: of a sum, only the remainder after division by ${q} counts.`;
}

// A function that a coalition learns, such as `u1[2] + 3 u4[2] = 5`, or `u1[2] + 3 u4[2] = 5  (mod 7)` with its modulus.
export function equation(data, { terms, products = [], modulus, value }, withModulus = false) {
  const named = [
    ...terms.map(([place, factor]) => [secretName(data, place), factor]),
    ...products.map(([factors, factor]) => [factors.map((place) => secretName(data, place)).join("·"), factor]),
  ];
  const left = sum(named, modulus);
  const shown = value === undefined ? left : `${left} = ${whole(value)}`;
  return withModulus || value === undefined ? `${shown}  (mod ${whole(modulus)})` : shown;
}

const drawKey = ({ kind, holders, label }) => JSON.stringify([kind, holders, label]);

// A party may draw coins several times: the number of each draw, if its holders have several.
const draws = once((data) => {
  const found = new Map();
  for (const family of data.proofs.flatMap((_, proof) => certificateOf(data, { proof }).families)) {
    const owner = JSON.stringify([family.kind, family.holders]);
    if (!found.has(owner)) found.set(owner, new Set());
    found.get(owner).add(drawKey(family));
  }
  return new Map([...found.values()].filter((keys) => keys.size > 1).flatMap((keys) => [...keys].map((key, i) => [key, i + 1])));
});

// The name of an unknown: a secret as in the equations, a coin by its holder, its draw and its place.
function unknownName(families, [number, place], numbered) {
  const { kind, holders, label, factors } = families[number];
  if (kind === "public") return "1";
  if (kind === "monomial") return factors.map((factor) => unknownName(families, factor, numbered)).join("·");
  if (kind === "secret") return `${holders[0]}${"'".repeat(Number(label.split("/")[0]))}[${place + 1}]`;
  const draw = numbered.get(drawKey(families[number]));
  if (kind === "stream") return `(element ${place + 1} of random row ${draw ?? 1})`;
  return `(${kind} ${place + 1}${draw === undefined ? "" : ` of draw ${draw}`} of ${holders.join(" and ")})`;
}

// The messages of all proofs by what is sent when from whom to whom, one list for each field of a proof.
const listedMessages = once((data) => {
  const found = new Map();
  data.proofs.forEach((_, proof) => {
    const { families, fields } = certificateOf(data, { proof });
    for (const field of fields) {
      for (const message of field.messages) {
        const link = linkKey(message.round, message.from, message.to, message.tag);
        if (!found.has(link)) found.set(link, new Map());
        const entries = found.get(link);
        entries.set(field, [...entries.get(field) ?? [], { families, field, message }]);
      }
    }
  });
  return found;
});

// The entries of proofs that list a message: one for each of its pieces, or none. `twin` says which one is meant of
// several messages with the same tag, round, key and parties. A proof whose list does not tell them apart is left out.
function entriesOf(data, link, twin) {
  const meant = [];
  for (const entries of listedMessages(data).get(linkKey(link.round, link.from, link.to, link.tag))?.values() ?? []) {
    const pieces = new Map();
    for (const entry of entries.filter(({ message }) => link.key === undefined || message.key === link.key)) {
      const { piece, box } = entry.message;
      const part = `${piece} ${box?.[0]}`;
      pieces.set(part, [...pieces.get(part) ?? [], entry]);
    }
    for (const each of pieces.values()) if (each.length === twin.count) meant.push(each[twin.number - 1]);
  }
  return meant;
}

// The forms of a message in words, one for each row, or null if the page does not have them. A row stands for `lanes`
// elements: each has the form of the one before it, with the next unknown of each family.
export function formsOf(data, link, twin = { number: 1, count: 1 }) {
  const rows = [];
  const done = new Set();
  for (const { families, field: { unknowns, modulus, lanes }, message } of entriesOf(data, link, twin)) {
    for (const [element, pairs] of message.rows) {
      const at = `${message.piece} ${element}`;
      if (done.has(at)) continue;
      done.add(at);
      const terms = pairs.map(([unknown, factor]) => [unknownName(families, unknowns[unknown], draws(data)), factor]);
      const text = terms.length ? sum(terms, modulus) : "0";
      rows.push({ piece: message.piece, element, lanes, text, modulus: String(modulus) });
    }
  }
  return rows.length ? rows.sort((a, b) => a.piece - b.piece || a.element - b.element) : null;
}

// ---- Who can compute a message ----

const MOST_READERS = 8; // parties
const MOST_ROWS = 1500; // of all messages

// Which smallest sets of parties can compute a message, besides its sender and its recipient.
//
// Theory of operation. A set knows its own coins and secrets, and the messages that reach it. It can compute a message
// if the forms of the message are linear combinations of these. Whoever joins a set only adds to what it knows, so
// small sets are tried first, and a set that contains one that was found is skipped. The forms are those of the
// proofs on the page. What a set may conclude from numbers that scripts open is not searched.
export class Readers {
  constructor(data) {
    const { names } = data.parties;
    const { traffic } = data;
    this.data = data;
    this.bases = new Map(); // for each set: the forms that reach it, by modulus
    this.owners = new Map(); // of each unknown: the number 1, its holders, or those of its factors
    this.rows = null; // for each message its forms, by modulus; null if there is nothing to search
    const isSeeded = data.proofs.some((_, proof) => {
      const { families, closed } = certificateOf(data, { proof });
      return closed.length || families.some(({ kind }) => kind === "stream");
    });
    if (!data.complete || names.length > MOST_READERS || isSeeded || Object.keys(data.parties.crowds).length || traffic.round === undefined) return;
    const { twins } = twinsOf(data);
    const rows = [];
    let count = 0;
    for (const [i, hasElements] of traffic.elements.entries()) {
      rows.push([]);
      if (!hasElements) continue;
      const link = { round: traffic.round[i], from: names[traffic.from[i]], to: names[traffic.to[i]], tag: traffic.tags[traffic.tag[i]] };
      const key = traffic.key[i] ?? null;
      rows[i] = this.formsOfMessage(key === null ? link : { ...link, key }, twins[i]);
      count += rows[i].length;
      if (!rows[i].length || count > MOST_ROWS) return;
    }
    this.rows = rows;
  }

  // Every element of a message as a map from unknowns to coefficients, with its modulus.
  formsOfMessage(link, twin) {
    const found = new Map();
    for (const { families, field: { unknowns, modulus: q, lanes }, message } of entriesOf(this.data, link, twin)) {
      for (const [element, pairs] of message.rows) {
        for (let lane = 0; lane < lanes; lane++) {
          const form = new Map(pairs.map(([unknown, factor]) => {
            const [family, place] = unknowns[unknown];
            return [this.unknown(families, family, place + lane), factor];
          }));
          found.set(`${message.piece} ${element + lane}`, { q, form });
        }
      }
    }
    return [...found.values()];
  }

  // A text for an unknown, which is the same in all proofs.
  unknown(families, number, place) {
    const { kind, holders, factors } = families[number];
    const parts = factors.map(([factor, at]) => this.unknown(families, factor, at));
    const key = JSON.stringify([drawKey(families[number]), place, ...parts.sort()]);
    this.owners.set(key, { isOne: kind === "public", holders, parts });
    return key;
  }

  isOwn(unknown, members) {
    const { names } = this.data.parties;
    const { isOne, holders, parts } = this.owners.get(unknown);
    if (isOne) return true;
    return parts.length ? parts.every((each) => this.isOwn(each, members)) : holders.some((name) => members.has(names.indexOf(name)));
  }

  // A form without what the members know, and without what follows from the forms of the basis.
  rest({ q, form }, members, basis) {
    const own = new Map([...form].filter(([unknown]) => !this.isOwn(unknown, members)));
    for (const [pivot, row] of basis) {
      const times = own.get(pivot) ?? 0n;
      if (times) for (const [unknown, factor] of row) own.set(unknown, ((own.get(unknown) ?? 0n) + (q - times) * factor) % q);
    }
    return new Map([...own].filter(([, factor]) => factor !== 0n));
  }

  basisOf(members, q) {
    const at = `${[...members]} ${q}`;
    if (this.bases.has(at)) return this.bases.get(at);
    const { from, to } = this.data.traffic;
    const basis = [];
    this.rows.forEach((rows, i) => {
      if (!members.has(to[i]) || members.has(from[i])) return;
      for (const row of rows.filter((each) => each.q === q)) {
        const rest = this.rest(row, members, basis);
        if (!rest.size) continue;
        const [pivot, factor] = rest.entries().next().value;
        const inverse = power(factor, q - 2n, q);
        basis.push([pivot, new Map([...rest].map(([unknown, each]) => [unknown, each * inverse % q]))]);
      }
    });
    this.bases.set(at, basis);
    return basis;
  }

  canCompute(members, i) {
    return this.rows[i].every((row) => !this.rest(row, members, this.basisOf(members, row.q)).size);
  }

  // The smallest sets that can compute message i, as lists of numbers; null if they are not searched. `pause` is
  // awaited between two sets.
  async of(i, pause = async () => {}) {
    if (this.rows === null || !this.rows[i].length) return null;
    const { from, to } = this.data.traffic;
    const others = this.data.parties.names.map((_, party) => party).filter((party) => party !== from[i] && party !== to[i]);
    const found = [];
    for (const members of subsets(others)) {
      const set = new Set(members);
      if (found.some((smaller) => smaller.every((party) => set.has(party)))) continue;
      if (this.canCompute(set, i)) found.push(members);
      await pause();
    }
    return found;
  }
}

function power(base, exponent, q) {
  let result = 1n;
  for (; exponent > 0n; exponent >>= 1n, base = base * base % q) if (exponent & 1n) result = result * base % q;
  return result;
}

// All subsets that are not empty, small ones first, in the order of their members.
function subsets(parties) {
  const bySize = parties.map(() => []);
  const extend = (members, next) => {
    if (members.length) bySize[members.length - 1].push(members);
    for (let i = next; i < parties.length; i++) extend([...members, parties[i]], i + 1);
  };
  extend([], 0);
  return bySize.flat();
}

const choose = (n, k) => k === 0 ? 1 : choose(n - 1, k - 1) * n / k;
const SETS_NAMED = 4;

// A list of sets in words: by number and role where all of a kind are meant, such as "any 2 users".
export function setsInWords(sets, others, { names, roles, role }) {
  if (!sets.length) return "no set of other parties";
  const sizeOf = roles.map((_, place) => others.filter((party) => role[party] === place).length);
  const kinds = new Map();
  for (const members of sets) {
    const counts = roles.map((_, place) => members.filter((party) => role[party] === place).length);
    const kind = kinds.get(String(counts)) ?? { counts, alike: [] };
    kind.alike.push(members);
    kinds.set(String(counts), kind);
  }
  const any = (place, count) => sizeOf[place] === 1 ? roles[place] : count === sizeOf[place] ? `all other ${roles[place]}s`
    : count === 1 ? `any ${roles[place]}` : `any ${count} ${roles[place]}s`;
  const words = [...kinds.values()].flatMap(({ counts, alike }) => {
    const all = counts.reduce((product, count, place) => product * choose(sizeOf[place], count), 1);
    if (alike.length > 1 && alike.length === all) return [counts.flatMap((count, place) => count ? [any(place, count)] : []).join(" with ")];
    return alike.map((members) => members.map((party) => names[party]).join(", "));
  });
  const hidden = words.length - SETS_NAMED;
  return words.slice(0, SETS_NAMED).join("; ") + (hidden > 0 ? `; and ${hidden} more` : "");
}

// The steps of an attack: for each lane of each function learned, the messages with weights, and the arithmetic.
export function attackSteps(data, verdict, place) {
  const certificate = certificateOf(data, verdict);
  if (certificate === null) return null;
  const wanted = shownFunction(data, verdict.functions[place]);
  for (const field of certificate.fields) {
    const rows = field.messages.flatMap((message) => message.rows.map(([element]) => ({ message, element })));
    for (const entry of field.learned) {
      for (let lane = 0; lane < field.lanes; lane++) {
        const terms = new Map(entry.function.map(([unknown, factor]) => {
          const [family, at] = field.unknowns[unknown];
          return [termsOf(certificate.families, family, at + lane), String(factor)];
        }));
        if (!isSame(wanted, { modulus: field.modulus, value: entry.values[lane], terms })) continue;
        return stepsInLane(data, certificate, field, entry, lane, rows);
      }
    }
  }
  return null;
}

function stepsInLane(data, certificate, field, entry, lane, rows) {
  const q = field.modulus;
  const hasNumbers = data.numbers;
  const twins = twinsOf(data);
  const steps = entry.weights.map(([row, factor, numbers]) => {
    const { message, element } = rows[row];
    return {
      weight: signed(factor, q), number: hasNumbers ? numbers[lane] : null,
      element: element + lane + 1, message, place: placeOf(twins, field.messages, message),
    };
  });
  const numbered = draws(data);
  const seeds = new Seeds(certificate);
  const nameOf = (unknown) => {
    const [family, place] = field.unknowns[unknown];
    const { kind, label, seed } = certificate.families[family];
    return kind === "stream" ? `element ${place + lane + 1} of the random row "${label.split(":")[0]}" from ${seeds.name(seed)}`
      : unknownName(certificate.families, [family, place + lane], numbered);
  };
  const own = entry.own.map(([unknown, factor, numbers]) => {
    const { kind, seed } = certificate.families[field.unknowns[unknown][0]];
    const reason = kind === "stream" ? seeds.reason(seed) : null;
    const places = (reason?.messages ?? []).map((message) => placeOf(twins, reason.all, message));
    return { weight: signed(factor, q), number: hasNumbers ? numbers[lane] : null, name: nameOf(unknown),
      isStream: kind === "stream", reason: reason?.words, from: reason?.messages ?? [], places };
  });
  const cancelled = cancelledBy(entry, field, q).map(nameOf);
  const add = (list) => list.reduce((total, { weight, number }) => total + weight * number, 0n);
  const modulo = (number) => ((number % q) + q) % q;
  if (!hasNumbers) return { steps, own, cancelled, modulus: q };
  const [total, part] = [add(steps), add(own)];
  return { steps, own, cancelled, modulus: q, total, totalModulo: modulo(total), part, partModulo: modulo(part), value: modulo(total - part) };
}

// The unknowns that occur in the messages of an attack, and not in their sum.
function cancelledBy(entry, field, q) {
  const forms = field.messages.flatMap((message) => message.rows.map(([, form]) => form));
  const sums = new Map();
  for (const [row, factor] of entry.weights) {
    for (const [unknown, coefficient] of forms[row]) sums.set(unknown, ((sums.get(unknown) ?? 0n) + factor * coefficient) % q);
  }
  return [...sums].filter(([, total]) => total === 0n).map(([unknown]) => unknown);
}
