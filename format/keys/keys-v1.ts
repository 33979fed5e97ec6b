// Records of API keys · layout: ./KEYS.md
//
//   [version, name, description, [action, …], [pattern, …], end, createdAt, updatedAt]

import { DecodeError, Decoder, Encoder } from '@msgpack/msgpack'
import { strictDecoder } from '../bytes/index.ts'
import { assert, refuse, VersionError } from '../errors.ts'
import { KEY_BYTES_MAX, KEY_LIST_MAX } from './limits.ts'

const SECTION = 'key'
const VERSION = 1
const NANOS_MAX = 999_999_999
const OFFSET_MINUTES_MAX = 1439

/** A point in time, and the UTC offset with which it is displayed. */
export type Expiry = {
  /** Seconds since 1970, UTC. */
  readonly seconds: number
  readonly nanos: number
  readonly offsetMinutes: number
}

export type KeyRecord = {
  readonly name: string | null
  readonly description: string | null
  readonly actions: readonly string[]
  readonly indexes: readonly string[]
  readonly expiresAt: Expiry | null
  /** Microseconds since 1970, UTC. */
  readonly createdAt: number
  readonly updatedAt: number
}

// Strings stay bytes: the package's own decoding accepts broken UTF-8 and drops byte order marks.
const decoder = new Decoder({ rawStrings: true })
const encoder = new Encoder()

/** In Unicode mode a surrogate matches only if it is not half of a pair. */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Encodes a record. The same record always gives the same bytes, which may be longer than a reader
 * accepts.
 */
export function encodeKey(key: KeyRecord): Uint8Array {
  const { name, description, actions, indexes, expiresAt, createdAt, updatedAt } = key
  for (const text of [name, description, ...actions, ...indexes]) {
    assert(text === null || !LONE_SURROGATE.test(text), 'text has no lone surrogates')
  }
  assert(actions.length <= KEY_LIST_MAX && indexes.length <= KEY_LIST_MAX, 'lists are bounded')
  for (const moment of [createdAt, updatedAt]) {
    assert(Number.isSafeInteger(moment) && moment >= 0, 'a moment is a safe integer')
  }
  return encoder.encode([
    VERSION,
    name,
    description,
    actions,
    indexes,
    expiresAt === null ? null : endOf(expiresAt),
    createdAt,
    updatedAt,
  ])
}

function endOf({ seconds, nanos, offsetMinutes }: Expiry): readonly number[] {
  assert(Number.isSafeInteger(seconds) && seconds >= 0, 'a key ends after 1970')
  assert(Number.isInteger(nanos) && nanos >= 0 && nanos <= NANOS_MAX, 'nanoseconds are in range')
  const isOffset = Number.isInteger(offsetMinutes) && Math.abs(offsetMinutes) <= OFFSET_MINUTES_MAX
  assert(isOffset, 'an offset is in range')
  return [seconds, nanos, offsetMinutes]
}

/** @throws CorruptionError, VersionError */
export function decodeKey(bytes: Uint8Array): KeyRecord {
  if (bytes.length > KEY_BYTES_MAX) {
    refuse(SECTION, 0, 'bad_length', `at most ${KEY_BYTES_MAX}`, bytes.length)
  }
  const values = unpack(bytes)
  if (!Array.isArray(values)) return refuse(SECTION, 0, 'bad_value', 'an array', typeof values)
  const version = count(values[0], 0)
  if (version !== VERSION) throw new VersionError(SECTION, version, VERSION, VERSION)
  if (values.length !== 8) refuse(SECTION, 0, 'bad_length', 8, values.length)
  return {
    name: textOrNull(values[1], 1),
    description: textOrNull(values[2], 2),
    actions: texts(values[3], 3),
    indexes: texts(values[4], 4),
    expiresAt: values[5] === null ? null : expiry(values[5], 5),
    createdAt: count(values[6], 6),
    updatedAt: count(values[7], 7),
  }
}

function unpack(bytes: Uint8Array): unknown {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    // The package throws only these two errors for invalid bytes.
    if (!(error instanceof DecodeError || error instanceof RangeError)) throw error
    return refuse(SECTION, 0, 'bad_value', 'MessagePack', error.message)
  }
}

const whole = (value: unknown, at: number, min: number, max: number): number => {
  if (!Number.isSafeInteger(value)) refuse(SECTION, at, 'bad_value', 'an integer', typeof value)
  const number = value as number
  if (number < min || number > max) refuse(SECTION, at, 'bad_value', `${min} to ${max}`, number)
  return number
}

const count = (value: unknown, at: number, max = Number.MAX_SAFE_INTEGER): number =>
  whole(value, at, 0, max)

function textOf(value: unknown, at: number): string {
  if (!(value instanceof Uint8Array)) {
    return refuse(SECTION, at, 'bad_value', 'text', typeof value)
  }
  try {
    return strictDecoder.decode(value)
  } catch (error) {
    // A fatal decoder throws no other error.
    if (!(error instanceof TypeError)) throw error
    return refuse(SECTION, at, 'bad_value', 'UTF-8', 'other bytes')
  }
}

const textOrNull = (value: unknown, at: number): string | null =>
  value === null ? null : textOf(value, at)

function texts(value: unknown, at: number): readonly string[] {
  if (!Array.isArray(value)) return refuse(SECTION, at, 'bad_value', 'an array', typeof value)
  if (value.length > KEY_LIST_MAX) {
    refuse(SECTION, at, 'bad_length', `at most ${KEY_LIST_MAX}`, value.length)
  }
  return value.map((element) => textOf(element, at))
}

function expiry(value: unknown, at: number): Expiry {
  if (!Array.isArray(value) || value.length !== 3) {
    return refuse(SECTION, at, 'bad_value', 'three numbers', typeof value)
  }
  return {
    seconds: count(value[0], at),
    nanos: count(value[1], at, NANOS_MAX),
    offsetMinutes: whole(value[2], at, -OFFSET_MINUTES_MAX, OFFSET_MINUTES_MAX),
  }
}
