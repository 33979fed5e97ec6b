// What is kept of topology changes in the manifest: what other instances have said of the one that
// runs, and what canceled ones show.
import {
  anything,
  decodedJson,
  flag,
  mapOf,
  object,
  text,
  texts,
} from '../../format/schema/index.ts'
import type { ChangeMessages } from '../network/index.ts'
import type { ValueSpace } from '../store/values/index.ts'

const NIL = '00000000-0000-0000-0000-000000000000'

export const NO_MESSAGES: ChangeMessages = { version: NIL, ended: [], finished: {} }

const MESSAGES = object<ChangeMessages>({ version: text, ended: texts, finished: mapOf(flag) })
const encoder = new TextEncoder()
const jsonSpace = <T>(name: string, decode: (record: Uint8Array) => T): ValueSpace<T> => ({
  name,
  encode: (value) => encoder.encode(JSON.stringify(value)),
  decode,
  limit: null,
})
export const MESSAGE_SPACE = jsonSpace('topology-messages', (bytes) =>
  decodedJson(MESSAGES, bytes, 'topology messages'),
)
export const DETAIL_SPACE = jsonSpace('topology-details', (bytes) => {
  return decodedJson(mapOf(anything), bytes, 'topology details') as { [member: string]: unknown }
})
