// Library functions on values, variables and functions.
import {
  Blob,
  FunctionPointer,
  functionKey,
  parseScript,
  Range,
  readJsonText,
  ScriptFault,
  ScriptMap,
  ScriptSyntaxError,
  Stream,
  shortTypeName,
  type Value,
  writeJson,
} from './language/index.ts'
import type { Natives } from './run/index.ts'

function* steps(from: bigint, to: bigint, by: bigint): Iterable<Value> {
  if (by === 0n) return
  for (let value = from; by > 0n ? value < to : value > to; value += by) yield value
}

const BLOB_BYTES_MAX = 10_000

export const FUNCTION_FUNCTIONS: Natives = {
  type_of: ([value, ...rest]) =>
    value === undefined || rest.length > 0 ? undefined : shortTypeName(value),
  // No output is shown, and a script never waits.
  print: (args) => (args.length <= 1 ? null : undefined),
  debug: (args) => (args.length <= 1 ? null : undefined),
  sleep: ([seconds, ...rest]) =>
    (typeof seconds === 'bigint' || typeof seconds === 'number') && rest.length === 0
      ? null
      : undefined,
  Fn: ([name, ...rest]) =>
    typeof name === 'string' && rest.length === 0
      ? new FunctionPointer(name, null, [], [])
      : undefined,
  name: ([value, ...rest]) =>
    value instanceof FunctionPointer && rest.length === 0 ? value.name : undefined,
  is_anonymous: ([value, ...rest]) =>
    value instanceof FunctionPointer && rest.length === 0 ? value.definition !== null : undefined,
  is_def_var: ([name, ...rest], { run }) =>
    typeof name === 'string' && rest.length === 0 ? run.find(name) !== null : undefined,
  is_def_fn: ([name, count, ...rest], { run }) =>
    typeof name === 'string' && typeof count === 'bigint' && rest.length === 0
      ? run.functions.has(functionKey(name, Number(count)))
      : undefined,
  eval: ([text, ...rest], { run, meter, at }) => {
    if (typeof text !== 'string' || rest.length > 0) return undefined
    meter.touch(text.length, at)
    try {
      const { body, functions } = parseScript(text)
      for (const [key, definition] of functions) run.functions.set(key, definition)
      return run.statements(body.statements)
    } catch (error) {
      if (!(error instanceof ScriptSyntaxError)) throw error
      throw new ScriptFault('ErrorParsing', `Syntax error: ${error.message}`, at)
    }
  },
  range: ([from, to, by, ...rest]) => {
    if (typeof from !== 'bigint' || typeof to !== 'bigint' || rest.length > 0) return undefined
    if (by === undefined) return new Stream(() => steps(from, to, 1n))
    return typeof by === 'bigint' ? new Stream(() => steps(from, to, by)) : undefined
  },
  contains: ([range, value, ...rest]) =>
    range instanceof Range && typeof value === 'bigint' && rest.length === 0
      ? range.has(value)
      : undefined,
  start: ([range]) => (range instanceof Range ? range.start : undefined),
  end: ([range]) => (range instanceof Range ? range.end : undefined),
  is_inclusive: ([range]) => (range instanceof Range ? range.isInclusive : undefined),
  is_exclusive: ([range]) => (range instanceof Range ? !range.isInclusive : undefined),
  blob: ([size, filler, ...rest], { at }) => {
    if (size === undefined) return new Blob(new Uint8Array(0))
    if (typeof size !== 'bigint' || rest.length > 0) return undefined
    if (filler !== undefined && typeof filler !== 'bigint') return undefined
    if (size > BLOB_BYTES_MAX) {
      throw new ScriptFault('ErrorDataTooLarge', 'Size of array/BLOB too large', at)
    }
    const bytes = new Uint8Array(size < 0n ? 0 : Number(size))
    return new Blob(bytes.fill(Number((filler ?? 0n) & 0xffn)))
  },
  len: ([value, ...rest]) =>
    value instanceof Blob && rest.length === 0 ? BigInt(value.bytes.length) : undefined,
  to_json: ([value, ...rest], { meter, at }) => {
    if (!(value instanceof ScriptMap) || rest.length > 0) return undefined
    const text = writeJson(value)
    meter.touch(text.length, at)
    meter.build(text.length, at)
    return text
  },
  parse_json: ([text, ...rest], { meter, at }) => {
    if (typeof text !== 'string' || rest.length > 0) return undefined
    meter.touch(text.length, at)
    meter.build(text.length, at)
    const value = readJsonText(text)
    if (value !== undefined) return value
    throw new ScriptFault('ErrorParsing', 'Syntax error: the text is not JSON', at)
  },
}
