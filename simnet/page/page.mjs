// The script of the page: it draws the messages, and says what the ticked parties learn.
//
// Theory of operation. `state` is all that a reader can change. After a change, `draw` draws the picture anew, or `paint`
// only marks its arrows anew. Nothing on the page is ever parsed as HTML: elements are made by `element` and `shape`, which set texts and
// attributes alone. What a set learns stands in the data (simnet/page/coalitions.py); this script judges nothing. It
// checks the proof of what it shows, and shows a verdict whose proof fails as broken.

import { attackSteps, byInclusion, checked, checkedInSteps, equation, formsOf, headline, moduloInWords, Readers, secretName, setsInWords, twinsOf } from "./proof.mjs";

const MOST_OPEN = 8; // a role with more parties is folded at first
const MOST_LANES = 40; // more parties of a role that is unfolded are not drawn
const MOST_ARROWS = 400;
const LONG_PROOF = 20_000; // letters: a longer proof is checked in several tasks
const MOST_OF_A_SEED = 6; // messages from which a seed is put together, by name
const MOST_APART = 80; // of a run with more messages, those of one round, tag and pair of lanes are one arrow
const TALLEST = 1200; // pixels; a taller picture scrolls in its box
const MOST_LISTED = 500; // rows of the table of messages
const MOST_TICKS = 60; // a role with more parties has no box for each of them
const MOST_LINES = 8; // the other lines of a list are folded

// ---- Making elements ----

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

// A text in a part of its own. Labels with marks that change the direction of letters get parts of their own inside it,
// so that such a mark changes nothing of the sentence around the label.
const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
let marked = []; // the labels of the page that have such marks, the longest first
const isolated = (text) => element("bdi", {}, marked.length && MARKS.test(text) && !marked.includes(text) ? partsOf(text) : text);

function partsOf(text) {
  const label = marked.find((each) => text.includes(each));
  if (label === undefined) return [text];
  const [before, ...after] = text.split(label);
  return [...partsOf(before), ...after.flatMap((rest) => [element("bdi", {}, label), ...partsOf(rest)])];
}

// The lines of a list; those behind the first few are folded. `noun` says what they are.
function foldedList(lines, noun, attributes = {}) {
  const list = (some) => element("ul", attributes, some);
  const more = lines.slice(MOST_LINES);
  if (more.length < 2) return [list(lines)]; // the line that unfolds one more line is as long as that line
  return [list(lines.slice(0, MOST_LINES)), element("details", { class: "fold" }, element("summary", {}, counted(more.length, `more ${noun}`)), list(more))];
}

// ---- Sets of parties ----

export const keyOf = (members) => [...members].sort((a, b) => a - b).join(",");

// Splits a text at commas. A name may contain commas itself: the longest piece that is a name stays whole.
function parted(text, number) {
  const pieces = text.split(",");
  const parts = [];
  for (let i = 0; i < pieces.length;) {
    let end = pieces.length;
    while (end > i + 1 && !number.has(pieces.slice(i, end).join(",").trim())) end--;
    parts.push(pieces.slice(i, end).join(",").trim());
    i = end;
  }
  return parts.filter(Boolean);
}

// Returns the numbers of the parties that a text such as "u1..u3, server" names, or a sentence that says what is wrong.
export function partiesNamed(text, { names, roles, role }) {
  const number = new Map(names.map((name, i) => [name.trim(), i]));
  const members = new Set();
  for (const part of parted(text, number)) {
    const [first, last] = part.split("..");
    const counting = /^(all|half of the) (\S+?)(?: but (one|\d+))?$/.exec(part);
    if (number.has(part)) members.add(number.get(part));
    else if (part === "everyone") names.forEach((_, i) => members.add(i));
    else if (last !== undefined && number.has(first) && number.has(last)) {
      for (let i = number.get(first); i <= number.get(last); i++) members.add(i);
    } else if (counting) {
      const [, amount, title, but] = counting;
      const place = [title, title.replace(/s$/, "")].map((each) => roles.indexOf(each)).find((i) => i >= 0);
      if (place === undefined) return `no role is called "${title}"`;
      const all = names.map((_, i) => i).filter((i) => role[i] === place);
      const spared = amount !== "all" ? Math.ceil(all.length / 2) : but === undefined ? 0 : but === "one" ? 1 : Number(but);
      all.slice(0, Math.max(0, all.length - spared)).forEach((i) => members.add(i));
    } else return `no party is called "${part}"`;
  }
  return members;
}

// Returns the names of a set in short, such as "u1..u5, server".
export function setName(members, names) {
  const successor = (name) => {
    const match = /^(.*?)(\d+)$/.exec(name);
    return match ? match[1] + (BigInt(match[2]) + 1n) : null;
  };
  const runs = [];
  for (const name of [...members].sort((a, b) => a - b).map((number) => names[number])) {
    const run = runs.at(-1);
    if (run && successor(run.at(-1)) === name) run.push(name);
    else runs.push([name]);
  }
  return runs.flatMap((run) => run.length > 2 ? [`${run[0]}..${run.at(-1)}`] : run).join(", ");
}

// ---- Lanes and arrows ----

// Returns the lanes: for each role its parties, or one lane for all of them beside those that are ticked. `isByFlow`
// says that the page has no single messages: then the lane of a role stands for all its parties, also for those with a
// lane of their own, because flows do not say which messages go from one such party to another.
export function lanesOf({ names, roles, role, crowds }, ticked, unfolded, isByFlow = false) {
  const lanes = [];
  const laneOf = new Array(names.length);
  roles.forEach((title, place) => {
    const all = names.map((_, i) => i).filter((i) => role[i] === place);
    const isOpen = unfolded.has(place) || (all.length <= MOST_OPEN && !isByFlow) || all.length === 1;
    const single = (isOpen ? all : all.filter((i) => ticked.has(i))).slice(0, MOST_LANES);
    const alone = new Set(single);
    const rest = isByFlow && all.length > 1 ? all : all.filter((i) => !alone.has(i));
    for (const i of single) {
      laneOf[i] = lanes.length;
      lanes.push({ parties: [i], title: names[i], role: title, place, size: crowds[i] ?? 1, isFolded: false });
    }
    if (rest.length) {
      for (const i of rest) laneOf[i] ??= lanes.length;
      const words = isByFlow ? "all of them" : "folded";
      lanes.push({ parties: rest, title: `${rest.length} × ${title}`, role: words, place, size: rest.length, isFolded: true });
    }
  });
  return { lanes, laneOf };
}

// Returns the arrows between lanes, in the order of the run: messages of one round, tag and link together, unless the
// run is so small that every message between two parties has an arrow.
export function arrowsOf(data, lanes, laneOf) {
  return data.traffic.flows === undefined ? fromMessages(data.traffic, lanes, laneOf) : fromFlows(data, lanes);
}

function fromMessages({ round, from, to, tag, bytes, count }, lanes, laneOf) {
  const arrows = new Map();
  round.forEach((r, i) => {
    const isApart = round.length <= MOST_APART && [from[i], to[i]].every((party) => !lanes[laneOf[party]].isFolded);
    const key = `${r} ${tag[i]} ${laneOf[from[i]]} ${laneOf[to[i]]} ${isApart ? i : ""}`;
    let arrow = arrows.get(key);
    if (!arrow) arrows.set(key, arrow = { round: r, tag: tag[i], from: laneOf[from[i]], to: laneOf[to[i]], count: 0, bytes: 0, messages: [] });
    arrow.count += count[i] ?? 1;
    arrow.bytes += bytes[i] * (count[i] ?? 1);
    arrow.messages.push(i);
  });
  return [...arrows.values()].sort((a, b) => a.round - b.round || a.messages[0] - b.messages[0]);
}

// Arrows between the lanes of roles count all messages of the flow. A party with a lane of its own has arrows to and
// from the lanes of roles, which count its own messages once more.
function fromFlows({ traffic, parties }, lanes) {
  const home = parties.roles.map((_, place) => {
    const folded = lanes.findIndex((lane) => lane.place === place && lane.isFolded);
    return folded >= 0 ? folded : lanes.findIndex((lane) => lane.place === place);
  });
  const ownLane = new Map();
  lanes.forEach((lane, i) => { if (i !== home[lane.place]) ownLane.set(lane.parties[0], i); });
  const arrows = [];
  const push = (flow, from, to, count) => {
    if (count <= 0) return;
    const [round, tag, bytes] = traffic.flows[flow];
    arrows.push({ round, tag, from, to, count, bytes: count * bytes, messages: [] });
  };
  traffic.flows.forEach(([, , , source, target, count], flow) => push(flow, home[source], target < 0 ? null : home[target], count));
  for (const [party, flow, sent, received] of traffic.own) {
    const lane = ownLane.get(party);
    if (lane === undefined) continue;
    const [, , , source, target] = traffic.flows[flow];
    push(flow, lane, target < 0 ? null : home[target], sent);
    push(flow, home[source], lane, received);
  }
  return arrows.sort((a, b) => a.round - b.round || a.tag - b.tag || a.from - b.from);
}

// ---- The page ----

function start(data) {
  const { names, roles, role } = data.parties;
  const { traffic } = data;
  const state = { ticked: new Set(), unfolded: new Set(), chosen: null, step: null, used: new Map(), isBeyond: false, timer: null };
  marked = [...new Set([...names, ...roles, ...traffic.tags])].filter((label) => MARKS.test(label)).sort((a, b) => b.length - a.length);
  const { twins } = twinsOf(data);
  const verdictOf = new Map(data.verdicts.map((verdict) => [keyOf(verdict.members), verdict]));
  const box = (id) => document.getElementById(id);
  const boxes = new Map(); // the check box of each party
  let readers; // made when it is first needed
  let arrows = [];

  // What follows the tag in the picture: it tells messages with the same tag apart, and is never cut off.
  function suffix(i) {
    const key = traffic.key[i] ?? null;
    const { number, count } = twins[i];
    const many = traffic.count[i] > 1 ? ` ×${traffic.count[i].toLocaleString("en")}` : "";
    return `${key === null ? "" : ` key ${key}`}${count > 1 ? ` ${number}/${count}` : ""}${many}`;
  }

  // The tag of a message, with its key or its number if others have the same tag, round and parties.
  function nameOfMessage(i) {
    const key = traffic.key[i] ?? null;
    const { number, count } = twins[i];
    return [isolated(traffic.tags[traffic.tag[i]]), `${key === null ? "" : `, key ${key}`}${count > 1 ? ` (${number} of ${count})` : ""}`];
  }

  const isSeen = (arrow) => arrow.messages.length
    ? arrow.messages.some((i) => state.ticked.has(traffic.from[i]) || state.ticked.has(traffic.to[i]))
    : [arrow.from, arrow.to].some((lane) => lane !== null && lanes[lane].parties.length === 1 && state.ticked.has(lanes[lane].parties[0]));
  let lanes = [];

  // -- Ticking parties --

  function tick(members) {
    state.ticked = new Set(members);
    state.used = new Map();
    for (const [party, input] of boxes) input.checked = state.ticked.has(party);
    draw();
    showVerdict();
  }

  function showParties() {
    const sets = roles.map((title, place) => {
      const all = names.map((_, i) => i).filter((i) => role[i] === place);
      const many = all.length > MOST_TICKS;
      const inputs = many ? [] : all.map((i) => {
        const input = element("input", { type: "checkbox", id: `party-${i}`, onchange: (event) => {
          const next = new Set(state.ticked);
          if (event.target.checked) next.add(i); else next.delete(i);
          tick(next);
        } });
        boxes.set(i, input);
        return element("label", {}, input, isolated(names[i]));
      });
      const fold = all.length <= MOST_OPEN ? null : element("button", { type: "button", "aria-expanded": "false", onclick: (event) => {
        const isOpen = !state.unfolded.has(place);
        if (isOpen) state.unfolded.add(place); else state.unfolded.delete(place);
        event.target.setAttribute("aria-expanded", String(isOpen));
        event.target.textContent = isOpen ? "fold in the picture" : "unfold in the picture";
        draw();
      } }, "unfold in the picture");
      const legend = element("legend", {}, isolated(title), all.length > 1 ? ` (${all.length.toLocaleString("en")})` : "");
      const note = many ? element("p", { class: "note" }, isolated(setName(all, names)), ": name parties below.") : null;
      return element("fieldset", {}, legend, inputs, note, fold);
    });
    const named = element("input", { type: "text", id: "named", autocomplete: "off", spellcheck: "false", "aria-describedby": "named-note" });
    const wrong = element("p", { id: "named-note", class: "note", role: "status" }, 'For example: u1..u3, server, or "all users but one".');
    const take = () => {
      const found = partiesNamed(named.value, data.parties);
      wrong.replaceChildren(typeof found === "string" ? isolated(`Not understood: ${found}.`) : "");
      if (typeof found !== "string") tick(found);
    };
    named.addEventListener("keydown", (event) => { if (event.key === "Enter") take(); });
    const judged = data.complete || data.verdicts.length > 24 || !data.verdicts.length ? [] : [
      element("p", { class: "note" }, "These sets were judged:"),
      element("div", { class: "row" }, data.verdicts.map((verdict) => element("button", { type: "button", onclick: () => tick(verdict.members) }, isolated(setName(verdict.members, names))))),
    ];
    box("parties").append(
      ...sets,
      element("div", { class: "row" },
        element("label", { for: "named" }, "Name them:"), named,
        element("button", { type: "button", onclick: take }, "Tick these"),
        element("button", { type: "button", onclick: () => { tick([]); } }, "Nobody")),
      wrong, ...judged);
  }

  // -- The verdict --

  // A long proof is checked in tasks of its own, so that the boxes answer at once.
  const isLong = ({ proof }) => proof !== undefined && data.proofs[proof].length > LONG_PROOF;

  const pause = () => new Promise((resolve) => { setTimeout(resolve, 10); });

  function showVerdict(proof = undefined) {
    const region = box("verdict");
    const members = [...state.ticked].sort((a, b) => a - b);
    region.replaceChildren();
    region.removeAttribute("data-finding");
    region.removeAttribute("data-checked");
    if (data.why_none) {
      region.append(element("p", {}, isolated(`Nothing was judged: ${data.why_none}.`)));
      return;
    }
    if (!members.length) {
      region.append(element("p", {}, "Tick parties to see what they learn together. Messages that reach them or leave them light up in the picture."));
      region.append(element("p", { class: "note" }, data.complete
        ? "All sets of parties were judged."
        : `${counted(data.verdicts.length, "set")} of parties ${data.verdicts.length === 1 ? "was" : "were"} judged. For other sets the page shows only what follows from these.`));
      return;
    }
    const verdict = verdictOf.get(keyOf(members));
    const who = `{${setName(members, names)}}`;
    if (verdict === undefined) showUnjudged(region, who, members);
    else if (proof === undefined && isLong(verdict)) {
      region.append(element("p", {}, "The proof is being checked."));
      const key = keyOf(members);
      pause().then(() => checkedInSteps(data, verdict, pause)).then((found) => { if (keyOf(state.ticked) === key) showVerdict(found); });
      return;
    } else showJudged(region, who, verdict, proof === undefined ? checked(data, verdict) : proof);
    if (data.verify) {
      region.append(element("h3", {}, "Judge it again"),
        ...(data.private ? [element("p", {}, "Give this command the inputs and the seed of the run, which the page keeps back:")] : []),
        element("p", {}, element("code", { class: "formula" }, isolated(`${data.verify} --corrupt ${quoted(setName(members, names))}`))));
    }
  }

  /** A word of a command line, in which a shell finds nothing to carry out. */
  function quoted(word) {
    return /^[\w.,@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  }

  function showUnjudged(region, who, members) {
    const { exposed, safe, learnsNothing } = byInclusion(data, members);
    const wrong = [...new Set([...exposed.values(), ...safe.values()])].find((verdict) => !isLong(verdict) && checked(data, verdict)?.failed);
    region.dataset.finding = "not-judged";
    if (wrong) {
      region.dataset.finding = "broken";
      region.append(element("p", { class: "failed" }, "Do not trust this page: the proof of the verdict on ", isolated(`{${setName(wrong.members, names)}}`), " does not hold."));
      return;
    }
    region.append(element("p", { class: "headline" }, isolated(who), ": not judged"));
    const name = (verdict) => `{${setName(verdict.members, names)}}`;
    const lines = [];
    if (learnsNothing) lines.push("From secret shares this set learns nothing: larger sets that were judged learn nothing. Disclosed values were not judged for it.");
    for (const [party, verdict] of [...exposed].slice(0, 20)) lines.push(`It exposes a secret of ${names[party]}, because it contains ${name(verdict)}, which exposes it.`);
    if (!learnsNothing) for (const [party, verdict] of [...safe].slice(0, 20)) lines.push(`From secret shares it learns nothing about ${names[party]}, because the larger set ${name(verdict)} learns nothing.`);
    if (lines.length) region.append(element("p", {}, "This follows from sets that were judged:"), ...foldedList(lines.map((line) => element("li", {}, isolated(line))), "sentence"));
    else region.append(element("p", {}, "Nothing about this set follows from the sets that were judged."));
  }

  function showJudged(region, who, verdict, proof) {
    const sentence = (place) => data.sentences[place];
    region.dataset.finding = verdict.finding;
    if (proof?.failed) {
      region.dataset.finding = "broken";
      region.append(element("p", { class: "failed" }, "Do not trust this verdict: its proof does not hold in this page."),
        element("ul", {}, proof.failed.map((why) => element("li", {}, isolated(why)))));
    }
    region.append(element("p", { class: "headline" }, isolated(who), " ", isolated(headline(data, verdict))),
      element("p", { class: "note" }, isolated(`In this run; ${sentence(verdict.tier)}.`)));
    for (const place of verdict.fixes ?? []) region.append(element("p", {}, "From the numbers of the output also follows: ", isolated(sentence(place)), ". ", element("span", { class: "note" }, "(The page does not check this conclusion.)")));
    for (const note of verdict.notes ?? []) region.append(element("p", { class: "warning" }, isolated(sentence(note))));
    showFunctions(region, verdict);
    if (proof?.proved && verdict.finding === "no-shares") {
      region.append(element("p", { class: "note" }, isolated(proof.proved)));
    } else if (proof?.proved) {
      region.dataset.checked = "";
      region.append(element("h3", {}, "The proof, checked in this page"), element("p", { class: "proved" }, isolated(proof.proved)),
        element("p", { class: "note" }, "A field element is a whole number modulo a prime number. A vector stands for elements of a message that are made in the same way."));
    } else if (!proof) {
      region.append(element("p", { class: "note" }, isolated(`Not checked in this page. ${sentence(verdict.unproved)}`)));
      for (const place of verdict.evidence ?? []) region.append(element("p", { class: "formula" }, isolated(sentence(place))));
    }
    showDisclosed(region, data.disclosures[verdict.disclosed]);
  }

  function showFunctions(region, verdict) {
    const functions = verdict.functions ?? [];
    if (!functions.length) return;
    const [place] = functions[0].terms[0] ?? functions[0].products[0][0];
    const name = secretName(data, place);
    const isOfOneField = new Set(functions.map(({ modulus }) => modulus)).size === 1;
    const isLeftOut = functions.some(({ terms, products = [] }) => [...terms, ...products].some(([, factor]) => factor === null));
    region.append(element("h3", {}, "What the set can compute"), element("p", { class: "note" },
      isolated(name), ` means element ${data.secrets[place][2]} of ${data.secrets[place][1] ? `secret ${data.secrets[place][1] + 1}` : "the secret"} of `, isolated(names[data.secrets[place][0]]),
      `. ${moduloInWords(functions)}`,
      isLeftOut ? " c1, c2 and so on stand for numbers that the set knows. The page keeps them back, because they may be disclosed values, which may depend on inputs." : ""));
    region.append(...foldedList(functions.map((learned, place) => {
      const shown = element("span", { class: "formula equation" }, isolated(equation(data, learned, !isOfOneField)));
      const told = learned.in_output ? element("span", { class: "note" }, " — the output tells this too") : element("span", { class: "beyond" }, " — beyond the output");
      const how = verdict.proof === undefined ? null : element("details", {}, element("summary", {}, "How it is computed"));
      how?.addEventListener("toggle", () => {
        if (how.open && how.children.length === 1) how.append(...attack(verdict, place));
        if (how.open) for (const other of region.querySelectorAll(".equations > li > details")) if (other !== how) other.open = false;
        const isLast = ![...region.querySelectorAll(".equations > li > details")].some(({ open }) => open);
        if (how.open || isLast) lightUp(how.open ? attackSteps(data, verdict, place) : null, !learned.in_output);
      });
      return element("li", {}, shown, told, how);
    }), "equation", { class: "equations" }));
    if (verdict.more > 0) region.append(element("p", { class: "note" }, `and ${counted(verdict.more, "more function")}, which simnet verify lists with the option --json`));
  }

  const link = (i) => `${names[traffic.from[i]]} → ${names[traffic.to[i]]}`;

  const folded = (title, lines) => element("details", {}, element("summary", {}, title),
    element("ul", {}, lines.map((line) => element("li", { class: "formula" }, isolated(line)))));

  // A button that shows a message of a proof; `i` is its place on the page, or null if the page does not have it.
  function messageLink({ tag, from, to, round, box: sealed }, i) {
    const end = [", ", isolated(`${from} → ${to}`), `, round ${round}${sealed ? ", in a box that the set can open" : ""}`];
    return i === null ? [isolated(tag), end] : element("button", { type: "button", class: "link", onclick: () => chooseMessage(i) }, nameOfMessage(i), end);
  }

  // The steps of an attack, with numbers if the page has them.
  function attack(verdict, place) {
    const found = attackSteps(data, verdict, place);
    if (!found) return [element("p", {}, "The page has no steps for this.")];
    const { steps, own, cancelled, modulus } = found;
    const times = (weight) => weight === 1n ? "" : `${weight} × `;
    const modulo = (number) => number >= 0n && number < modulus ? `${number}` : `${number}, which is ${((number % modulus) + modulus) % modulus} modulo ${modulus}`;
    const items = steps.map((step) => element("li", {}, messageLink(step.message, step.place),
      `: take ${times(step.weight)}element ${step.element}`,
      step.number === null ? "" : `, which is ${step.weight === 1n ? step.number : `${times(step.weight)}${step.number} = ${step.weight * step.number}`}`));
    const lines = [];
    const sum = steps.length > 1 ? "Add them up" : "Start from this number";
    lines.push(element("li", {}, found.total === undefined ? `${sum}${steps.length > 1 ? `, modulo ${modulus}` : ""}.` : `${sum}: ${modulo(found.total)}.`,
      cancelled.length ? folded(`In this sum, ${counted(cancelled.length, "unknown number")} ${cancelled.length === 1 ? "cancels" : "cancel"}`, cancelled) : null));
    const given = own.filter(({ isStream }) => !isStream);
    if (given.length) {
      const text = "Subtract what the set itself has put in";
      const part = given.reduce((total, { weight, number }) => total + weight * (number ?? 0n), 0n);
      lines.push(element("li", {}, found.part === undefined ? `${text}.` : `${text}: ${modulo(part)}.`,
        folded(counted(given.length, "own number"), given.map(({ weight, number, name }) => `${times(weight)}${name}${number === null ? "" : ` = ${weight * number}`}`))));
    }
    // Random rows are masks: each comes off by itself, and the set must know its seed.
    for (const { weight, number, name, reason, from, places } of own.filter(({ isStream }) => isStream)) {
      const size = weight < 0n ? -weight : weight;
      lines.push(element("li", {}, `Take off a mask: ${weight < 0n ? "add" : "subtract"} ${number === null ? "" : `${size * number}, which is `}${times(size)}`, isolated(name), ".",
        reason ? element("p", { class: "note" }, isolated(`How the set knows this seed. ${reason}`),
          from.slice(0, MOST_OF_A_SEED).map((message, i) => [i ? "; " : " ", messageLink(message, places[i])]),
          from.length > MOST_OF_A_SEED ? `; and ${from.length - MOST_OF_A_SEED} more` : "") : null));
    }
    const left = found.value === undefined || !own.length ? "What is left is " : `What is left is ${modulo(found.total - found.part)}. So `;
    lines.push(element("li", { class: "result" }, left, element("span", { class: "formula" }, isolated(equation(data, verdict.functions[place]))), "."));
    return [element("ol", { class: "steps" }, items, lines)];
  }

  // Marks the messages of an attack or of another equation with the numbers of its steps.
  function lightUp(found, isBeyond = false) {
    state.used = new Map();
    state.isBeyond = isBeyond;
    (found?.steps ?? []).forEach(({ place }, step) => {
      if (place !== null) state.used.set(place, [...state.used.get(place) ?? [], step + 1]);
    });
    paint();
  }

  function showDisclosed(region, disclosed) {
    const tells = disclosed.words.startsWith("independent") ? `They tell nothing about inputs (${disclosed.words})` : `They tell about inputs: ${disclosed.words}`;
    const nothing = "honest parties disclose nothing", isNone = disclosed.argument.startsWith(nothing);
    region.append(element("h3", {}, "Values disclosed on purpose"),
      element("p", { class: "note" }, "This is only about plain values that scripts release on purpose, with me.disclose. What other messages tell is judged above."),
      element("p", {}, isolated(isNone || disclosed.words === "not judged" ? (isNone ? "There are none" : "Not judged") : tells),
        element("span", { class: "note" }, ` — ${disclosed.tier}: `), isolated(disclosed.argument), disclosed.argument === nothing ? " on purpose" : ""));
    if (/^\w+ of .*:/.test(disclosed.argument)) region.append(element("p", { class: "note" }, "This text names the function of the script that makes the value, and the parties that call the function. An argument that is called sealed is somebody's input."));
    if (disclosed.sees.length) region.append(element("p", { class: "note" }, "Plain messages that reach the set:"), element("ul", {}, disclosed.sees.map((line) => element("li", {}, isolated(line)))));
  }

  // -- The picture --

  let painted = [];

  function draw() {
    const found = lanesOf(data.parties, state.ticked, state.unfolded, traffic.flows !== undefined);
    lanes = found.lanes;
    const all = arrowsOf(data, lanes, found.laneOf);
    let shown = all;
    if (all.length > MOST_ARROWS) shown = [...all.filter(isSeen), ...all.filter((arrow) => !isSeen(arrow))].slice(0, MOST_ARROWS).sort((a, b) => a.round - b.round);
    const before = state.chosen === null ? null : arrows[state.chosen];
    arrows = shown;
    state.chosen = before ? arrows.findIndex((arrow) => arrow.round === before.round && arrow.tag === before.tag && arrow.messages[0] === before.messages[0]) : null;
    if (state.chosen === -1) state.chosen = null;
    const width = Math.max(50, Math.min(170, (box("picture").clientWidth - 70) / lanes.length));
    const row = arrows.length <= 60 ? 30 : arrows.length <= 160 ? 20 : 12;
    const x = (lane) => 44 + width * (lane + 0.5);
    const total = 54 + width * lanes.length;
    const rounds = [...new Set(arrows.map((arrow) => arrow.round))];
    const height = arrows.length * row + rounds.length * 26 + 16;
    const heads = shape("svg", { class: "heads", width: total, height: 44, "aria-hidden": "true" });
    const body = shape("svg", { width: total, height, role: "img", "aria-label": `${counted(arrows.length, "arrow")} between ${counted(lanes.length, "lane")}, from the first round at the top to the last.` });
    lanes.forEach((lane, i) => {
      const isTicked = lane.parties.length === 1 && state.ticked.has(lane.parties[0]);
      const most = Math.floor(width / 7);
      const name = lane.title.length > most ? `${lane.title.slice(0, most - 1)}…` : lane.title;
      heads.append(shape("text", { x: x(i), y: 17, class: isTicked ? "name ticked" : "name" }, name, shape("title", {}, lane.title)),
        shape("text", { x: x(i), y: 34, class: "role" }, lane.size > 1 && !lane.isFolded ? `${lane.size} in a crowd` : lane.role === lane.title ? "" : lane.role.slice(0, most)));
      body.append(shape("line", { x1: x(i), x2: x(i), y1: 0, y2: height, class: isTicked ? "life ticked" : "life" }));
    });
    let [y, round] = [0, null];
    painted = arrows.map((arrow, i) => {
      if (arrow.round !== round) {
        round = arrow.round;
        y += 26;
        body.append(shape("line", { x1: 0, x2: total, y1: y - 20, y2: y - 20, class: "band" }), shape("text", { x: 4, y: y - 6, class: "round" }, `round ${round}`));
      }
      y += row;
      const drawn = arrowShape(arrow, x, y - 6, width, row >= 20);
      drawn.addEventListener("click", () => choose(i));
      body.append(drawn);
      return drawn;
    });
    box("picture").replaceChildren(heads, body);
    box("picture").classList.toggle("tall", height > TALLEST);
    const hidden = all.length - arrows.length;
    box("hidden").textContent = hidden > 0 ? `${counted(hidden, "more arrow")} ${hidden === 1 ? "is" : "are"} not drawn: arrows of ticked parties come first.` : "";
    paint();
  }

  function arrowShape(arrow, x, y, width, isLabelled) {
    const from = x(arrow.from);
    const to = arrow.to === null ? from + width * 0.4 : x(arrow.to);
    const isLoop = arrow.from === arrow.to;
    const way = to >= from ? 1 : -1;
    const path = isLoop ? `M${from} ${y - 8}h${width * 0.3}v8h${-width * 0.3}` : `M${from} ${y}H${to}`;
    const head = isLoop ? `${from},${y} ${from + 8},${y - 4} ${from + 8},${y + 4}` : `${to},${y} ${to - 9 * way},${y - 4.5} ${to - 9 * way},${y + 4.5}`;
    const many = arrow.count > 1 ? ` ×${arrow.count.toLocaleString("en")}` : "";
    const drawn = shape("g", { class: "arrow" }, shape("path", { d: path, class: "hit" }), shape("path", { d: path, class: "line" }), shape("polygon", { points: head, class: "head" }));
    drawn.append(shape("g", { class: "badge", transform: `translate(${from + (isLoop ? 0 : 2 * way)} ${isLoop ? y - 8 : y})` }));
    if (isLabelled) {
      const room = isLoop ? Infinity : Math.max(8, Math.floor(Math.abs(to - from) / 6.5));
      const [tag, end] = [traffic.tags[arrow.tag], arrow.messages.length === 1 ? suffix(arrow.messages[0]) : many];
      const start = tag.length + end.length > room ? `${tag.slice(0, Math.max(0, room - end.length - 1))}…` : tag;
      const middle = isLoop ? from + width * 0.3 + 4 : (from + to) / 2;
      const text = shape("text", { x: middle, y: isLoop ? y : y - 5 }, shape("tspan", {}, start), end);
      if (isLoop) text.style.textAnchor = "start";
      drawn.append(text);
    }
    return drawn;
  }

  // Marks what the set sees, what an attack uses, and what comes after the step that is shown.
  function paint() {
    painted.forEach((drawn, i) => {
      const arrow = arrows[i];
      const steps = arrow.messages.flatMap((each) => state.used.get(each) ?? []);
      drawn.classList.toggle("seen", isSeen(arrow));
      drawn.classList.toggle("attack", steps.length > 0 && state.isBeyond);
      drawn.classList.toggle("told", steps.length > 0 && !state.isBeyond);
      // What the verdict is about never fades, at whichever message a reader stops.
      drawn.classList.toggle("later", state.step !== null && i > state.step && steps.length === 0);
      drawn.classList.toggle("chosen", i === state.chosen);
      drawn.querySelector(".badge").replaceChildren(...badge(steps, state.isBeyond));
    });
    showLegend();
  }

  // The number of a step: in a diamond for an attack, in a circle for what the output tells too.
  function badge(steps, isBeyond) {
    if (!steps.length) return [];
    return [isBeyond ? shape("path", { d: "M0 -11L11 0L0 11L-11 0Z" }) : shape("circle", { r: 8.5 }),
      shape("text", { y: 4 }, `${steps[0]}${steps.length > 1 ? "+" : ""}`)];
  }

  // Explains the marks that are in the picture now, and no others.
  function showLegend() {
    const has = (name) => painted.some((drawn) => drawn.classList.contains(name));
    const isPlain = painted.some((drawn) => !["seen", "attack", "told"].some((name) => drawn.classList.contains(name)));
    const marks = [
      [isPlain, "", "a message"],
      [has("seen"), "seen", "the ticked set sends or receives it"],
      [has("attack"), "attack", "enters the attack that is open, with the number of the step"],
      [has("told"), "told", "enters the equation that is open, with the number of the step; the output tells the same"],
      [has("later"), "later", "later than the message that is shown"],
    ];
    box("legend").replaceChildren(...marks.filter(([isShown]) => isShown).map(([, name, words]) => {
      const line = shape("g", { class: `arrow ${name}` }, shape("path", { d: "M2 12H38", class: "line" }), shape("polygon", { points: "46,12 37,7.5 37,16.5", class: "head" }));
      if (name === "attack" || name === "told") line.append(shape("g", { class: "badge", transform: "translate(15 12)" }, ...badge([1], name === "attack")));
      return element("li", {}, shape("svg", { width: 48, height: 24, "aria-hidden": "true" }, line), element("span", {}, words));
    }));
  }

  // -- One message --

  function choose(i, isStep = false) {
    if (!arrows.length) return;
    state.chosen = Math.max(0, Math.min(arrows.length - 1, i));
    state.step = isStep ? state.chosen : null;
    paint();
    painted[state.chosen].scrollIntoView({ block: "nearest", inline: "nearest" });
    const { messages } = arrows[state.chosen];
    if (messages.length === 1) showMessage(messages[0]); else showArrow(arrows[state.chosen]);
  }

  function chooseMessage(found) {
    state.chosen = arrows.findIndex((arrow) => arrow.messages.includes(found));
    paint();
    painted[state.chosen]?.scrollIntoView({ block: "nearest" });
    showMessage(found);
  }

  const described = (entries) => element("dl", {}, entries.filter(([, value]) => value !== null && value !== "").flatMap(([term, value]) => [
    element("dt", {}, term), element("dd", {}, typeof value === "string" ? isolated(value) : value)]));

  function showArrow(arrow) {
    const lane = (i) => i === null ? "unknown roles" : lanes[i].title;
    const rows = arrow.messages.slice(0, 60).map((i) => element("button", { type: "button", onclick: () => showMessage(i) }, nameOfMessage(i), ", ", isolated(link(i))));
    const hidden = arrow.messages.length - rows.length;
    box("message").replaceChildren(
      described([["Tag", traffic.tags[arrow.tag]], ["Round", String(arrow.round)], ["From", lane(arrow.from)], ["To", lane(arrow.to)],
        ["Messages", arrow.count.toLocaleString("en")], ["Size", `${arrow.bytes.toLocaleString("en")} bytes of contents in all`]]),
      element("div", { class: "row" }, rows, hidden > 0 ? `and ${hidden.toLocaleString("en")} more` : null));
  }

  function showMessage(i) {
    const at = { round: traffic.round[i], from: names[traffic.from[i]], to: names[traffic.to[i]], tag: traffic.tags[traffic.tag[i]] };
    const key = traffic.key[i] ?? null;
    if (key !== null) at.key = key;
    const forms = formsOf(data, at, twins[i]);
    const size = `${counted(traffic.bytes[i], "byte")} of contents and ${traffic.header} of header`;
    const who = element("span", {}, isolated(at.from), "; ", isolated(at.to), "; being searched");
    if (traffic.elements[i]) showReaders(who, i);
    const form = forms && element("ul", {}, forms.map(({ element: place, lanes: alike, text, modulus }) => element("li", { class: "formula" },
      `element ${place + 1}${alike > 1 ? ` (and those to ${place + alike} likewise)` : ""}: `, isolated(text), ` (mod ${modulus})`)));
    box("message").replaceChildren(described([
      ["Tag", at.tag], ["Round", String(at.round)], ["From", at.from], ["To", at.to], ["Key", key === null ? null : `${key}: a number by which the script tells messages of one tag apart`],
      ["Which", twins[i].count > 1 ? `number ${twins[i].number} of ${twins[i].count} with this tag and round from ${at.from} to ${at.to}` : null],
      ["Size", (traffic.count[i] ?? 1) > 1 ? `${size}; ${traffic.count[i]} messages` : size],
      ["Contents", traffic.content[i] ?? (data.private ? "left out: the inputs were given" : "left out: the run is too large")],
      ["Form", form],
      ["Who can compute it", traffic.elements[i] ? who : "not searched, because the message has no field elements outside boxes; a verdict assumes that everybody knows disclosed values"],
    ]));
  }

  // Searches in short tasks, and writes the sets behind the sender and the recipient.
  async function showReaders(who, i) {
    let begin = performance.now();
    const breathe = async () => {
      if (performance.now() - begin < 40) return;
      await pause();
      begin = performance.now();
    };
    readers ??= new Readers(data);
    const found = await readers.of(i, breathe);
    const ends = [traffic.from[i], traffic.to[i]];
    const others = names.map((_, party) => party).filter((party) => !ends.includes(party));
    who.replaceChildren(...ends.flatMap((party) => [isolated(names[party]), "; "]), found === null ? "other sets were not searched" : isolated(setsInWords(found, others, data.parties)));
  }

  function showControls() {
    const step = (name, i) => element("button", { type: "button", onclick: () => { stop(); i(); } }, name);
    const at = () => state.chosen ?? -1;
    const play = element("button", { type: "button" }, "Play");
    const stop = () => { clearInterval(state.timer); state.timer = null; play.textContent = "Play"; };
    play.addEventListener("click", () => {
      if (state.timer) { stop(); return; }
      if (at() >= arrows.length - 1) state.chosen = null;
      play.textContent = "Stop";
      state.timer = setInterval(() => { if (at() >= arrows.length - 1) stop(); else choose(at() + 1, true); }, 900);
    });
    box("controls").append(...[element("div", { class: "row" },
      step("First", () => choose(0, true)), step("Back", () => choose(at() - 1, true)), step("Next", () => choose(at() + 1, true)),
      step("Last", () => choose(arrows.length - 1, true)), play,
      step("Show all", () => { state.step = null; state.chosen = null; paint(); box("message").replaceChildren(); })),
    element("p", { class: "note" }, "Click an arrow, or step from message to message with the arrow keys. Each arrow is a message, or several from one line to another."),
    traffic.flows ? element("p", { class: "note" }, "The run is too large to draw single messages. The line of a role counts the messages of all its parties, also of those that have a line of their own.") : null,
    element("ul", { id: "legend", class: "legend", "aria-label": "Marks in the picture" }),
    element("p", { class: "note", id: "hidden" })].filter(Boolean));
    box("picture").addEventListener("keydown", (event) => {
      const moves = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
      const next = event.key === "Home" ? 0 : event.key === "End" ? arrows.length - 1 : event.key in moves ? at() + moves[event.key] : null;
      if (next === null) return;
      event.preventDefault();
      choose(next, true);
    });
  }

  function showList() {
    if (!traffic.round) { box("list").hidden = true; return; }
    box("list").addEventListener("toggle", () => {
      const room = box("list").querySelector(".wide");
      if (room.children.length) return;
      const heads = ["round", "from", "to", "tag", "bytes", "contents"].map((head) => element("th", { scope: "col" }, head));
      const rows = traffic.round.slice(0, MOST_LISTED).map((r, i) => element("tr", {}, [String(r), names[traffic.from[i]], names[traffic.to[i]], nameOfMessage(i), String(traffic.bytes[i]), traffic.content[i] ?? ""].map((cell) => element("td", {}, isolated(cell)))));
      const hidden = traffic.round.length - rows.length;
      room.append(element("table", { "aria-label": "Messages" }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)));
      if (hidden > 0) room.append(element("p", { class: "note" }, `and ${hidden.toLocaleString("en")} more`));
    });
  }

  // A sentence above every box that can be scrolled, as long as something in it is out of sight.
  function showScrolling() {
    const watcher = new ResizeObserver((entries) => { for (const { target } of entries) (target.look ?? target.parentElement?.look)?.(); });
    for (const room of document.querySelectorAll(".wide, #picture")) {
      const words = element("p", { class: "note scrolls", hidden: true });
      room.before(words);
      room.look = () => {
        const right = room.scrollWidth > room.clientWidth + 1;
        const down = room.scrollHeight > room.clientHeight + 1;
        words.hidden = !right && !down;
        const ways = [right ? "sideways ↔" : null, down ? "up and down ↕" : null].filter(Boolean).join(" and ");
        words.textContent = `There is more than fits here: scroll ${ways}.`;
      };
      new MutationObserver(() => { for (const child of room.children) watcher.observe(child); room.look(); }).observe(room, { childList: true });
      watcher.observe(room);
      room.look();
    }
  }

  // What is folded is printed too.
  addEventListener("beforeprint", () => { for (const each of document.querySelectorAll("details.fold:not([open])")) { each.open = true; each.dataset.printed = ""; } });
  addEventListener("afterprint", () => { for (const each of document.querySelectorAll("details[data-printed]")) { each.open = false; delete each.dataset.printed; } });

  showParties();
  showControls();
  showList();
  draw();
  showVerdict();
  showScrolling();
}

// Large data are compressed.
async function dataOf(script) {
  if (script.dataset.packed === undefined) return JSON.parse(script.textContent);
  const bytes = Uint8Array.from(atob(script.textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

if (typeof document !== "undefined") {
  dataOf(document.getElementById("data")).then(start, (error) => {
    document.getElementById("verdict").textContent = `This page could not be read. It needs a browser from 2023 or later. (${error.message})`;
  });
}
