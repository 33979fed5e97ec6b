// Functions that edit documents: any text is a script that runs to its end or to a fault within its
// limits, or is refused. The resulting document is JSON that survives a round trip.
import { compileScript } from '../engine/script/index.ts'
import {
  readJsonText,
  ScriptFault,
  ScriptSyntaxError,
  writeJson,
} from '../engine/script/language/index.ts'
import { assert } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

/** `@` means the dollar sign of templates here. */
const SEEDS = [
  'doc.n += 1; doc.s = `@{doc.s}-@{doc.n ** 2}`; doc.remove("z")',
  'fn add(a, b) { a + b } doc.r = [1, 2.5e3, 0xff].map(|x, i| add(x, i))',
  'for (x, i) in doc.l { if x == 2 { continue } if i > 5 { break } doc.o[`k@{i}`] = x }',
  'doc.r = switch doc.n { 1 | 7 => "a", 0..5 if doc.b => "b", [1, true] => 2, _ => () }',
  'try { throw #{code: 5} } catch (e) { doc.r = e.code ?? doc?.a?.b } do { } until !(doc.n < 3)',
  'let k = 1; const F = || k += 1; F.call(); doc.l.sort(|a, b| b - a); doc.l.retain(|x| x !in [1])',
  'doc.s.replace("l", \'L\'); doc.s[0] = "\\u00e9\\x41"; doc.u = doc.s.sub_string(1..=3).split(" ")',
  'doc.o.mixin(#{"a b": [1, ()]}); doc = parse_json(doc.to_json()); eval("doc.x = 1 << 3 | 5 & ~1")',
]

/** Small limits, so a run that ends at a limit is short. */
const PAUSES_MAX = 4

const document = () =>
  readJsonText('{"id":1,"n":7,"f":2.5,"s":"Hello é","l":[3,1,2],"o":{"a":1},"b":true,"z":null}')!

class Enough extends Error {}

function run(input: Uint8Array): void {
  const script = compileScript(new TextDecoder().decode(input))
  const doc = { name: 'doc', value: document(), isConstant: false }
  let pauses = 0
  script.run([doc], () => {
    if (++pauses >= PAUSES_MAX) throw new Enough()
  })
  const text = writeJson(doc.value)
  const again = readJsonText(text)
  assert(again !== undefined, 'what is made is JSON')
  assert(writeJson(again) === text, 'JSON comes back as the same')
}

export const target: FuzzTarget = {
  name: 'script',
  seeds: () => SEEDS.map((seed) => new TextEncoder().encode(seed.replaceAll('@', '$'))),
  run,
  allows: (error) =>
    error instanceof ScriptFault || error instanceof ScriptSyntaxError || error instanceof Enough,
  inputBytesMax: 4096,
  words: ['return', 'while', 'loop', 'push', 'pad', 'drain', 'reduce', 'range', 'blob', 'this'],
}
