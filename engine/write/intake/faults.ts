// Messages for refused bodies. Clients know these texts, so they must not change.
import { faultText, type JsonFault } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'

export type BodyKind = 'json' | 'ndjson' | 'csv'

const DETAIL_BYTES_MAX = 138
const DETAIL_HEAD_BYTES = 50
const DETAIL_TAIL_BYTES = 85

export const missingPayload = (kind: BodyKind): EngineFault =>
  new EngineFault('missing_payload', `A ${kind} payload is missing.`)

export const malformedJson = (kind: BodyKind, detail: string): EngineFault =>
  new EngineFault(
    'malformed_payload',
    `The \`${kind}\` payload provided is malformed. ` +
      `\`Couldn't serialize document value: ${shortened(detail)}\`.`,
  )

export const jsonFault = (kind: BodyKind, fault: JsonFault): EngineFault =>
  malformedJson(kind, faultText(fault))

export const malformedCsv = (detail: string): EngineFault =>
  new EngineFault('malformed_payload', `The \`csv\` payload provided is malformed: \`${detail}\`.`)

/** Cuts the middle out of a detail of more than 138 bytes; characters stay whole. */
export function shortened(detail: string): string {
  const bytes = new TextEncoder().encode(detail)
  if (bytes.length <= DETAIL_BYTES_MAX) return detail
  let head = DETAIL_HEAD_BYTES
  while (isContinuation(bytes[head]!)) head--
  let tail = bytes.length - DETAIL_TAIL_BYTES
  while (isContinuation(bytes[tail]!)) tail++
  const text = new TextDecoder()
  return `${text.decode(bytes.subarray(0, head))}...${text.decode(bytes.subarray(tail))}`
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80
