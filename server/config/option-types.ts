// The types of option values: how each is read from text (command line, environment) and from the
// configuration file (TOML's own types).

import { headerValueProblem } from '../../engine/index.ts'
import { quotedNames } from '../../format/errors.ts'
import * as json from '../../format/schema/index.ts'
import { parseByteSize } from './byte-size.ts'
import { type IpNetworks, parseIpNetworks } from './ip-networks.ts'
import { ValueError } from './launch-error.ts'

export type OptionType<T> = {
  /** On a command line the flag alone means `true`. */
  readonly isFlag: boolean
  /** The value of the flag alone; undefined if a value must follow. */
  readonly bare: string | undefined
  /** Description of a value, for the help page. */
  readonly words: string
  /** @throws ValueError */
  readonly fromText: (text: string) => T
  /** @throws ValueError */
  readonly fromToml: (value: unknown) => T
}

/** Checks a TOML value against the schema, then converts it; `problem` is the error's text. */
const fromToml =
  <V, T>(schema: json.Schema<V>, problem: string, read: (value: V) => T) =>
  (value: unknown): T => {
    if (!json.isValid(schema, value)) throw new ValueError(problem)
    return read(value)
  }

const ofText = <T>(words: string, fromText: (text: string) => T): OptionType<T> => ({
  isFlag: false,
  bare: undefined,
  words,
  fromText,
  fromToml: fromToml(json.text, 'expected a string', fromText),
})

export const flag: OptionType<boolean> = {
  isFlag: true,
  bare: 'true',
  words: 'true or false',
  fromText: (text) => {
    if (text === 'true') return true
    if (text === 'false') return false
    throw new ValueError('expected `true` or `false`')
  },
  fromToml: fromToml(json.flag, 'expected `true` or `false`', (value) => value),
}

/** A variable that is on if it is set, except to `false` or `0`. */
export const presence: OptionType<boolean> = {
  ...flag,
  words: 'anything but false and 0',
  fromText: (text) => text !== 'false' && text !== '0',
}

export const text: OptionType<string> = ofText('text', (value) => value)
/** An empty one, as of a script whose variable is unset, would mean the current folder. */
export const path: OptionType<string> = ofText('path', (value) => {
  if (value === '') throw new ValueError('expected a path')
  return value
})

const readHeaderText = (value: string): string => {
  const problem = headerValueProblem(value)
  if (problem === null) return value
  throw new ValueError(`it ${problem}`)
}

/** A key, or another text that a request carries. */
export const headerText: OptionType<string> = ofText('text', readHeaderText)

/** The same; blank text counts as unset. */
export const headerTextOrNone: OptionType<string | null> = ofText('text', (value) =>
  value.trim() === '' ? null : readHeaderText(value),
)

export const url: OptionType<string> = ofText('URL', (value) => {
  if (!URL.canParse(value)) throw new ValueError('expected an absolute URL')
  return value
})

/** A base URL for requests: scheme, host, port and path only. */
export const httpUrl: OptionType<string> = ofText('URL', (value) => {
  const found = URL.canParse(value) ? new URL(value) : null
  const isHttp = found?.protocol === 'http:' || found?.protocol === 'https:'
  if (found === null || !isHttp) throw new ValueError('expected an http or https URL')
  if (`${found.search}${found.hash}${found.username}${found.password}` !== '') {
    throw new ValueError('expected a URL without user, query and fragment')
  }
  return value
})

/** Letters, digits, dots, underscores and hyphens. */
export const name: OptionType<string> = ofText('name', (value) => {
  if (/^[\w.-]{1,255}$/.test(value) && !/^\.+$/.test(value)) return value
  throw new ValueError('expected a name of letters, digits, `.`, `_` and `-`')
})

/** A path of objects in a bucket; leading and trailing slashes are dropped. */
export const objectPath: OptionType<string> = ofText('path', (value) => {
  const parts = value.split('/').filter((part) => part !== '')
  const isPlain = parts.every(
    (part) => part !== '.' && part !== '..' && /^[^\\\p{Cc}]+$/u.test(part),
  )
  if (isPlain && value.length <= 512) return parts.join('/')
  throw new ValueError('expected a path with slashes, of up to 512 characters')
})

const IN_STORE = 'objstore:'

/**
 * The name of the database that a follower reads from an object store; empty means the configured
 * folder.
 */
export const followed: OptionType<string> = ofText('source', (value) => {
  const name = value.slice(IN_STORE.length)
  const isPlain = /^[^/\\\p{Cc}]{0,255}$/u.test(name) && name !== '.' && name !== '..'
  if (value.startsWith(IN_STORE) && isPlain) return name
  throw new ValueError(
    `expected \`${IN_STORE}\`, optionally followed by the name of a database folder`,
  )
})

/** One of the words, in any case. In the file: in capitals, as the default is written. */
export const word = <W extends string>(words: readonly W[]): OptionType<W> => {
  const problem = `expected one of ${quotedNames(words)}`
  return ofText(words.join(', '), (value) => {
    const found = words.find((known) => known.toLowerCase() === value.trim().toLowerCase())
    if (found === undefined) throw new ValueError(problem)
    return found
  })
}

/** One of the words, in exactly this form. */
export const exactWord = <W extends string>(words: readonly W[]): OptionType<W> => {
  const problem = `expected one of ${quotedNames(words)}`
  return ofText(words.join(', '), (value) => {
    const found = words.find((known) => known === value)
    if (found === undefined) throw new ValueError(problem)
    return found
  })
}

/**
 * Whole numbers from `min` to `max`. Without a `max`, numbers that JavaScript does not
 * count exactly are the largest one that it does: 2^64 - 1 is a usual word for “unlimited”.
 */
export const count = (min = 0, max = Number.MAX_SAFE_INTEGER): OptionType<number> => {
  const words =
    max === Number.MAX_SAFE_INTEGER ? `whole number from ${min}` : `whole number ${min} to ${max}`
  const bounded = (value: number): number => {
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value
    throw new ValueError(`expected a ${words}`)
  }
  return {
    isFlag: false,
    bare: undefined,
    words,
    fromText: (value) => bounded(/^\d+$/.test(value) ? exact(BigInt(value)) : Number.NaN),
    fromToml: (value) => bounded(wholeNumber(value)),
  }
}

/** The parser returns TOML integers as number or bigint. */
const wholeNumber = (value: unknown): number => {
  if (typeof value === 'bigint') return exact(value)
  return typeof value === 'number' ? value : Number.NaN
}

/** Converts a whole number, or takes the largest that is exact in its place. */
const exact = (value: bigint): number => Math.min(Number(value), Number.MAX_SAFE_INTEGER)

/** Sizes with units. The file may also hold a plain number of bytes. */
export const byteSize = (
  above: number,
  below: number,
  boundsInWords: string,
): OptionType<number> => {
  const bounded = (bytes: number): number => {
    if (bytes > above && bytes < below) return bytes
    throw new ValueError(`expected a size ${boundsInWords}`)
  }
  return {
    isFlag: false,
    bare: undefined,
    words: 'size',
    fromText: (value) => bounded(parseByteSize(value)),
    fromToml: (value) => {
      if (typeof value === 'string') return bounded(parseByteSize(value))
      const bytes = wholeNumber(value)
      if (!Number.isSafeInteger(bytes))
        throw new ValueError('expected a size such as `100MB` or `2GiB`')
      return bounded(bytes)
    },
  }
}

export const anySize: OptionType<number> = byteSize(0, Number.POSITIVE_INFINITY, 'above 0 bytes')

const DAY_S = 86_400

/** Seconds between runs, or null for never. The flag without a value means a day. */
export const schedule: OptionType<number | null> = {
  isFlag: false,
  bare: String(DAY_S),
  words: 'seconds',
  fromText: (value) => (value === '' ? null : seconds(value)),
  fromToml: (value) => {
    if (typeof value === 'boolean') return value ? DAY_S : null
    return seconds(String(value))
  },
}

const seconds = (value: string): number => {
  if (/^[1-9]\d{0,9}$/.test(value)) return Number(value)
  throw new ValueError('expected a whole number of seconds, at least 1')
}

/** A number of threads, or null to let the server choose. */
export const threads: OptionType<number | null> = {
  isFlag: false,
  bare: undefined,
  words: 'whole number from 1, or unlimited',
  fromText: (value) => (value === 'unlimited' || value === '' ? null : count(1).fromText(value)),
  fromToml: (value) => count(1).fromToml(value),
}

export const ipNetworks: OptionType<IpNetworks> = {
  isFlag: false,
  bare: undefined,
  words: 'networks',
  fromText: (value) => parseIpNetworks(value.split(',')),
  fromToml: fromToml(json.texts, 'expected an array of strings', parseIpNetworks),
}

/** The parser of addresses allows hosts with characters that mean something in headers, such as `;`. */
const ORIGIN = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/
const isOrigin = (value: string): boolean =>
  ORIGIN.test(value) && URL.canParse(value) && new URL(value).origin === value

function readOrigins(values: readonly string[]): readonly string[] {
  const wrong = values.find((value) => !isOrigin(value))
  if (wrong === undefined) return values
  throw new ValueError(`expected addresses such as \`https://cdn.example.com\`, without a path`)
}

/** The beginnings of addresses: protocol, host and port. */
export const origins: OptionType<readonly string[]> = {
  isFlag: false,
  bare: undefined,
  words: 'addresses',
  fromText: (value) => readOrigins(value.split(',')),
  fromToml: fromToml(json.texts, 'expected an array of strings', readOrigins),
}

export type HostAndPort = { readonly host: string; readonly port: number }

const ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]+)):(\d+)$/
const PORT_MAX = 65_535

export const address: OptionType<HostAndPort> = ofText('host:port', (value) => {
  const match = ADDRESS.exec(value)
  if (match === null) throw new ValueError(addressProblem(value))
  const port = Number(match[3])
  if (port > PORT_MAX) throw new ValueError(`expected a port from 0 to ${PORT_MAX}`)
  return { host: (match[1] ?? match[2])!, port }
})

function addressProblem(value: string): string {
  const [form, example] = ['expected `host:port`', 'for example `localhost:7700`']
  if (value.includes('://')) return `${form} without \`http://\`, ${example}`
  if (/^\d+$/.test(value)) return `${form}: the host is missing, ${example}`
  if (/^:\d*$/.test(value)) return `${form}: the host is missing, ${example}`
  if (/:.*:/.test(value)) return `${form}, IPv6 addresses in brackets: \`[::1]:7700\``
  if (!value.includes(':')) return `${form}: the port is missing, ${example}`
  return `${form}, ${example}`
}
