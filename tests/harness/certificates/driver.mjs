// The second reader for many files: on each line of standard input a file in base64, on each line of
// standard output its three lines as a JSON list, or a JSON string that says why it is refused.
import { createInterface } from "node:readline";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

const { BadCertificate, check } = await import(pathToFileURL(argv[2]).href);

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const bytes = Buffer.from(line, "base64");
    const source = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const { products, proved, notShown } = check(source);
    answer = [`Checking takes ${products} products.`, proved, notShown];
  } catch (error) {
    const isRefusal = error instanceof BadCertificate || error.code === "ERR_ENCODING_INVALID_ENCODED_DATA";
    answer = isRefusal ? `${error.message}` : [`${error.stack}`]; // which agrees with nothing
  }
  console.log(JSON.stringify(answer));
}
