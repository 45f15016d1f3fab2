// Tests of the scripts of the page: node --test, with the pages in the file that PAGES names.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const scripts = new URL("../../../simnet/page/", import.meta.url);
const { attackSteps, byInclusion, checked, checkedInSteps, equation, formsOf, headline, moduloInWords, Readers, setsInWords, twinsOf } =
  await import(new URL("proof.mjs", scripts));
const { arrowsOf, lanesOf, partiesNamed, setName } = await import(new URL("page.mjs", scripts));
const given = JSON.parse(readFileSync(process.env.PAGES, "utf8"));
const copy = (value) => JSON.parse(JSON.stringify(value));
// A page on which the certificate of a verdict was changed.
const forgedBy = (data, { proof }, change) => {
  const certificate = JSON.parse(data.proofs[proof]);
  change(certificate);
  return { ...data, proofs: data.proofs.map((text, i) => i === proof ? JSON.stringify(certificate) + "\n" : text) };
};

test("every verdict of a page has a proof, which says what Python's certificate says", () => {
  let count = 0;
  for (const { data, proved } of given.pages) {
    data.verdicts.forEach((verdict, i) => {
      const found = checked(data, verdict);
      if (proved[i] === null) assert.equal(found, null);
      else assert.deepEqual(found, { proved: proved[i] });
      count++;
    });
  }
  assert.ok(count > 200);
});

test("a check in steps finds the same", async () => {
  const { data } = given.pages[0];
  for (const verdict of data.verdicts) {
    assert.deepEqual(await checkedInSteps(data, verdict, async () => {}), checked(data, verdict));
    const wrong = { ...verdict, finding: "leaks" };
    assert.deepEqual(await checkedInSteps(data, wrong, async () => {}), checked(data, wrong));
  }
});

test("a wrong verdict is refused", () => {
  for (const { data } of given.pages) {
    for (const verdict of data.verdicts.filter(({ proof }) => proof !== undefined)) {
      for (const finding of ["nothing", "output-only", "leaks"].filter((each) => each !== verdict.finding)) {
        assert.ok(checked(data, { ...verdict, finding }).failed);
        const forged = forgedBy(data, verdict, (certificate) => { certificate.statement = finding; });
        assert.ok(checked(forged, { ...verdict, finding }).failed);
      }
    }
  }
});

test("a wrong coefficient is refused, in an equation and in its proof", () => {
  let count = 0;
  for (const { data } of given.pages.filter(({ isPrivate, name }) => !isPrivate && name !== "wide")) {
    const verdict = data.verdicts.find(({ functions, proof }) => functions && proof !== undefined);
    if (!verdict) continue;
    const shown = copy(verdict);
    shown.functions[0].terms[0][1] = (shown.functions[0].terms[0][1] + 1) % shown.functions[0].modulus;
    assert.match(checked(data, shown).failed[0], /equation 1/);
    const other = copy(verdict);
    other.functions[0].value = (other.functions[0].value + 1) % other.functions[0].modulus;
    assert.match(checked(data, other).failed[0], /equation 1/);
    const forged = forgedBy(data, verdict, ({ fields: [{ learned, modulus }] }) => {
      learned[0].weights[0][1] = learned[0].weights[0][1] % (modulus - 1) + 1;
    });
    assert.ok(checked(forged, verdict).failed);
    count++;
  }
  assert.ok(count >= 4);
});

test("whatever else the page says of a verdict is refused if the proof says otherwise", () => {
  const tried = new Map();
  const refused = (name, data, verdict) => {
    assert.ok(checked(data, verdict).failed, name);
    tried.set(name, (tried.get(name) ?? 0) + 1);
  };
  for (const { data } of given.pages) {
    for (const verdict of data.verdicts.filter(({ proof }, i) => proof !== undefined && i % 3 === 0)) {
      const changed = (change) => { const made = copy(verdict); change(made); return made; };
      (verdict.functions ?? []).slice(0, 3).forEach((_, i) => refused("flag", data, changed(({ functions }) => { functions[i].in_output = !functions[i].in_output; })));
      if (verdict.exposed) refused("exposed", data, changed((made) => made.exposed.pop()));
      const other = data.secrets.findIndex((_, place) => !(verdict.exposed ?? []).includes(place));
      if (other >= 0) refused("more exposed", data, changed((made) => { made.exposed = [...made.exposed ?? [], other]; }));
      refused("count", data, changed((made) => { made.more += 1; }));
      for (const end of ["least", "most"]) refused(end, data, changed((made) => { made[end] = made[end] === "leaks" ? "nothing" : "leaks"; }));
      for (const [key, value] of [["tier", "sampled"], ["argument", "other"], ["is_nothing", null]]) {
        const disclosures = copy(data.disclosures);
        disclosures[verdict.disclosed][key] = value ?? !disclosures[verdict.disclosed][key];
        refused(key, { ...data, disclosures }, verdict);
      }
    }
  }
  assert.deepEqual([...tried.keys()].sort(), ["argument", "count", "exposed", "flag", "is_nothing", "least", "more exposed", "most", "tier"]);
  assert.ok([...tried.values()].every((count) => count > 20));
});

test("the sentence about a verdict follows from its finding and from what is exposed", () => {
  const secrets = [[1, 0, 1, 2], [1, 0, 2, 2], [0, 0, 1, 3], [0, 1, 2, 3]];
  const parties = { names: ["u1", "u2"] };
  const said = (verdict, disclosed, items = 2) => headline({ secrets, parties, items, disclosures: [{ is_nothing: true, words: "independent", ...disclosed }] }, { disclosed: 0, ...verdict });
  assert.equal(said({ finding: "nothing" }), "learns nothing");
  assert.equal(said({ finding: "nothing" }, { is_nothing: false, words: "ε ≤ 1" }), "learns nothing from secret shares; disclosed values: ε ≤ 1");
  assert.equal(said({ finding: "leaks", exposed: [0, 1] }), "learns u2's items 1, 2");
  assert.equal(said({ finding: "leaks", exposed: [2, 3] }), "learns u1's secret (entry 1) and secret 2 (entry 2)");
  assert.equal(said({ finding: "leaks", exposed: [0, 1] }, {}, null), "learns u2's secret");
  assert.equal(said({ finding: "leaks", functions: [{ terms: [[0, 1], [2, 1]], modulus: 5, value: 3, in_output: false }] }), "learns u2[1] + u1[1] = 3");
  assert.equal(said({ finding: "output-only" }), "learns nothing beyond the output; the output itself gives the sums that are listed below");
  assert.equal(said({ finding: "output-only", exposed: [0] }), "learns nothing beyond the output; the output itself gives u2's item 1");
  assert.equal(said({ finding: "no-shares" }, { words: "not judged" }), "receives no secret shares and learns only what is disclosed (not judged)");
  assert.equal(said({ finding: "undecided", least: "nothing", most: "leaks" }), "learns at least nothing and at most more than the output");
});

test("the sets that can compute a message are those of an elimination in Python", async () => {
  let count = 0;
  let found = 0;
  for (const { data, readers, isPrivate } of given.pages) {
    if (readers === undefined) continue;
    const mine = new Readers(data);
    if (!readers) { assert.equal(await mine.of(0), null); continue; }
    const { round, from, to, tag, tags, key } = data.traffic;
    const expected = new Map(readers.map(([[r, a, b, t, k], sets]) => [JSON.stringify([r, a, b, t, isPrivate ? null : k]), sets]));
    for (let i = 0; i < round.length; i++) {
      if (!data.traffic.elements[i]) { assert.equal(await mine.of(i), null); continue; }
      const { count: alike } = twinsOf(data).twins[i];
      const sets = (await mine.of(i)).map((each) => [...each]).sort((a, b) => a.length - b.length || (String(a) < String(b) ? -1 : 1));
      const wanted = expected.get(JSON.stringify([round[i], from[i], to[i], tags[tag[i]], key[i] ?? null]));
      if (alike > 1) continue; // Python takes them together
      assert.deepEqual(sets, wanted.sort((a, b) => a.length - b.length || (String(a) < String(b) ? -1 : 1)));
      count++;
      found += sets.length;
    }
  }
  assert.ok(count > 50);
  assert.ok(found > 20);
});

test("sets of one kind are named together", () => {
  const parties = { names: ["u1", "u2", "u3", "server"], roles: ["user", "server"], role: [0, 0, 0, 1] };
  assert.equal(setsInWords([[0, 1], [0, 2], [1, 2]], [0, 1, 2, 3], parties), "any 2 users");
  assert.equal(setsInWords([[0, 3]], [0, 1, 3], parties), "u1, server");
  assert.equal(setsInWords([], [0, 1], parties), "no set of other parties");
});

test("a proof about other messages than those of the page is refused", () => {
  const { data } = given.pages[0];
  const verdict = data.verdicts.find(({ finding, members }) => finding === "nothing" && members.length === 1);
  const less = forgedBy(data, verdict, ({ fields }) => fields.forEach((field) => field.messages.pop()));
  assert.match(checked(less, verdict).failed[0], /leaves out a message/);
  const more = copy(data);
  more.traffic.elements = more.traffic.elements.map(() => 0);
  assert.match(checked(more, verdict).failed[0], /not on the page/);
});

test("functions over several fields name their moduli", () => {
  const data = { secrets: [[0, 0, 1, 1]], parties: { names: ["u1"] } };
  const functions = [5, 7].map((modulus) => ({ terms: [[0, 1]], modulus, value: 2 }));
  assert.match(moduloInWords(functions), /^Each line names its modulus: /);
  assert.match(moduloInWords(functions.slice(1)), /^All numbers are modulo 7: .* by 7 counts\.$/);
  assert.deepEqual(functions.map((each) => equation(data, each, true)), ["u1[1] = 2  (mod 5)", "u1[1] = 2  (mod 7)"]);
});

test("the steps of an attack give the value of the equation", () => {
  let count = 0;
  for (const { data, isPrivate } of given.pages) {
    for (const verdict of data.verdicts.filter(({ proof }) => proof !== undefined)) {
      (verdict.functions ?? []).forEach((learned, place) => {
        const { steps, own, modulus, value } = attackSteps(data, verdict, place);
        assert.ok(steps.length > 0);
        if (isPrivate) {
          assert.equal(value, undefined);
          assert.ok([...steps, ...own].every(({ number }) => number === null));
          return;
        }
        const sum = (list) => list.reduce((total, { weight, number }) => total + weight * number, 0n);
        assert.equal((((sum(steps) - sum(own)) % modulus) + modulus) % modulus, value);
        assert.equal(value, BigInt(String(learned.value).replace("#", "")));
        assert.ok(equation(data, learned).endsWith(` = ${value}`));
        count++;
      });
    }
  }
  assert.ok(count > 50);
});

test("every mask that an attack takes off has a seed, and the set knows it from somewhere", () => {
  const { data } = given.pages.find(({ name, isPrivate }) => name === "secagg" && !isPrivate);
  const reasons = new Set();
  let cancelling = 0;
  for (const verdict of data.verdicts.filter(({ proof, functions }) => proof !== undefined && functions)) {
    const { own, cancelled } = attackSteps(data, verdict, 0);
    for (const { isStream, name, reason, from, places } of own.filter((each) => each.isStream)) {
      assert.ok(isStream);
      assert.match(name, /^element 1 of the random row "mask" from the seed (that u\d drew|made from the seed on which u\d and u\d agreed)$/);
      if (name.endsWith("agreed")) assert.match(reason, /^It follows from secret key \d of u\d and the public key of u\d, which is no secret\. Secret key/);
      if (reason.endsWith("from these messages:")) {
        assert.ok(from.length >= 2);
        assert.ok(places.every((place) => data.traffic.tags[data.traffic.tag[place]] === "opened" || place !== null));
      }
      reasons.add(reason.replace(/\d/g, "N"));
    }
    cancelling += cancelled.length;
  }
  assert.ok(reasons.size >= 2);
  assert.ok(cancelling > 0);
});

test("messages with one tag, round, key and pair of parties are told apart", () => {
  for (const { data } of given.pages.filter(({ name }) => name === "sampling_privacy")) {
    const { names } = data.parties;
    const { twins } = twinsOf(data);
    const { round, from, to, tag, tags } = data.traffic;
    const pair = twins.flatMap(({ count }, i) => count === 2 && names[from[i]] === "A1" ? [i] : []);
    assert.deepEqual(pair.map((i) => [twins[i].number, tags[tag[i]], names[to[i]]]), [[1, "partial", "reader"], [2, "partial", "reader"]]);
    const [first, second] = pair.map((i) => formsOf(data, { round: round[i], from: "A1", to: "reader", tag: "partial" }, twins[i])[0].text);
    assert.notEqual(first, second);
    for (const verdict of data.verdicts.filter(({ functions }) => functions)) {
      for (const { place, message } of attackSteps(data, verdict, 0).steps) {
        assert.equal(tags[tag[place]], message.tag);
        assert.equal(names[from[place]], message.from);
      }
    }
    const { lanes, laneOf } = lanesOf(data.parties, new Set(), new Set());
    assert.equal(arrowsOf(data, lanes, laneOf).length, round.length);
  }
});

test("numbers above 2^53 are exact", () => {
  const { data } = given.pages.find(({ name }) => name === "wide");
  const verdict = data.verdicts.find(({ finding }) => finding === "leaks");
  assert.equal(equation(data, verdict.functions[0]), `u1[1] = ${2n ** 60n + 1n}`);
});

test("a message has its form", () => {
  const { data } = given.pages.find(({ name }) => name === "ring");
  const [first] = formsOf(data, { round: 1, from: "u1", to: "u2", tag: "running" });
  assert.equal(first.text, "u1[1] + (coin 1 of u1)");
  assert.equal(formsOf(data, { round: 9, from: "u1", to: "u2", tag: "running" }), null);
});

test("only what is monotone follows for a set that was not judged", () => {
  const data = { declaring: [0, 1, 2, 3], secrets: [[1, 0, 1, 1], [3, 0, 1, 1]], verdicts: [
    { members: [0, 4], finding: "leaks", exposed: [0] },
    { members: [0, 1, 2], finding: "nothing" },
    { members: [0, 1, 3], finding: "nothing" },
    { members: [2, 3], finding: "output-only" },
    { members: [1, 2], finding: "undecided", exposed: [1] },
  ] };
  const { exposed } = byInclusion(data, [0, 2, 4]);
  assert.deepEqual([...exposed.keys()], [1]); // a larger set exposes whom a smaller one exposes
  assert.deepEqual([...byInclusion(data, [0, 1, 4]).exposed.keys()], []); // unless that party joins
  assert.deepEqual([...byInclusion(data, [1, 2, 4]).exposed.keys()], []); // an undecided verdict tells nothing
  const { safe, learnsNothing } = byInclusion(data, [0, 1]);
  assert.deepEqual([...safe.keys()].sort(), [2, 3]);
  assert.equal(learnsNothing, true); // each party outside is outside some judged set that learns nothing
  assert.equal(byInclusion(data, [0]).learnsNothing, false); // 1 is in both judged sets
  assert.deepEqual([...byInclusion(data, [3]).safe.keys()], [2]); // only the output is not nothing
  assert.equal(byInclusion(data, [0, 1, 2, 3]).learnsNothing, false); // nobody is left: nothing is said
});

test("sets are read and written as on the command line", () => {
  const parties = { names: ["u1", "u2", "u3", "server"], roles: ["user", "server"], role: [0, 0, 0, 1] };
  const read = (text) => { const found = partiesNamed(text, parties); return typeof found === "string" ? found : [...found]; };
  assert.deepEqual(read("u1..u3, server"), [0, 1, 2, 3]);
  assert.deepEqual(read("all users but one"), [0, 1]);
  assert.deepEqual(read("all users but 2,server"), [0, 3]);
  assert.deepEqual(read("everyone"), [0, 1, 2, 3]);
  assert.deepEqual(read(""), []);
  assert.deepEqual(read("half of the users"), [0]);
  assert.match(read("u9"), /no party is called "u9"/);
  const odd = { names: ["a, b", "a", "b", "\u202ec"], roles: ["party"], role: [0, 0, 0, 0] };
  const readOdd = (text) => [...partiesNamed(text, odd)];
  assert.deepEqual(readOdd("a, b"), [0]);
  assert.deepEqual(readOdd("b, a"), [2, 1]);
  assert.deepEqual(readOdd(setName([0, 2, 3], odd.names)), [0, 2, 3]);
  assert.match(read("all readers"), /no role/);
  assert.equal(setName([3, 0, 1, 2], parties.names), "u1..u3, server");
  assert.equal(setName([0, 2], parties.names), "u1, u3");
});

test("a large role is folded, and ticked parties stand beside it", () => {
  const names = [...Array(20).keys()].map((i) => `u${i + 1}`);
  const parties = { names: [...names, "server"], roles: ["user", "server"], role: [...names.map(() => 0), 1], crowds: {} };
  const titles = (ticked, unfolded) => lanesOf(parties, new Set(ticked), new Set(unfolded)).lanes.map(({ title }) => title);
  assert.deepEqual(titles([], []), ["20 × user", "server"]);
  assert.deepEqual(titles([4], []), ["u5", "19 × user", "server"]);
  assert.equal(titles([], [0]).length, 21);
});

test("arrows of flows count what the flows count", () => {
  const data = {
    parties: { names: ["a", "b", "c", "s"], roles: ["user", "server"], role: [0, 0, 0, 1], crowds: {} },
    traffic: { flows: [[1, 0, 4, 0, 0, 6], [2, 1, 4, 0, 1, 3]],
      own: [[0, 0, 2, 0], [1, 0, 2, 0], [2, 0, 2, 0], [0, 0, 0, 2], [1, 0, 0, 2], [2, 0, 0, 2], [0, 1, 1, 0], [1, 1, 1, 0], [2, 1, 1, 0], [3, 1, 0, 3]] },
  };
  const drawn = (ticked) => {
    const { lanes, laneOf } = lanesOf(data.parties, new Set(ticked), new Set(), true);
    const name = (lane) => lanes[lane].title;
    return arrowsOf(data, lanes, laneOf).map(({ round, from, to, count }) => [round, name(from), name(to), count]);
  };
  const users = "3 × user";
  assert.deepEqual(drawn([]), [[1, users, users, 6], [2, users, "s", 3]]);
  assert.deepEqual(drawn([3]), drawn([]), "a role of one party is this party");
  assert.deepEqual(drawn([1]), [[1, "b", users, 2], [1, users, users, 6], [1, users, "b", 2], [2, "b", "s", 1], [2, users, "s", 3]]);
});
