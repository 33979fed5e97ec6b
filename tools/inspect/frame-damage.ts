// Verifies every checksum of a frame, page by page and section by section, without stopping at the
// first failure. Layout: format/frame/FRAME.md
import { CorruptionError } from '../../format/errors.ts'
import { FRAME_PAGE_BYTES, type Frame, type Section } from '../../format/frame/index.ts'
import type { Finding } from './finding.ts'

const FOOTER_BYTES = 32
const FOOTER_CHECKSUM_FROM_END = 8

/** Returns the checksum in the footer of a frame, by which the manifest identifies the file. */
export const footerChecksum = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(
    bytes.length - FOOTER_CHECKSUM_FROM_END,
    true,
  )

/** Returns the position where the sections of an open frame end and its tables begin. */
export const tableOffsetOf = ({ bytes }: Frame): number =>
  Number(
    new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(bytes.length - FOOTER_BYTES, true),
  )

/**
 * Returns the damage by ascending offset: one finding per page, with the section in it whose
 * checksum fails as well. `progress` receives the number of verified bytes.
 */
export function frameDamage(
  frame: Frame,
  where: string,
  progress: (bytes: number) => void = () => undefined,
): readonly Finding[] {
  const findings: Finding[] = []
  const damaged = [...frame.sections].filter(
    (section) => refusal(() => section.verifyChecksum()) !== null,
  )
  const found = new Set<Section>()
  const end = tableOffsetOf(frame)
  for (let from = 0; from < end; from += FRAME_PAGE_BYTES) {
    const to = Math.min(from + FRAME_PAGE_BYTES, end)
    const error = refusal(() => frame.touch(from, to))
    progress(to)
    if (error === null) continue
    const inside = damaged.filter((s) => s.offset < to && s.offset + s.length > from)
    for (const section of inside) found.add(section)
    findings.push(...pageFindings(where, from, to, inside))
  }
  for (const { tag } of damaged.filter((section) => !found.has(section))) {
    const message = 'the checksum of the section differs from that of its bytes'
    findings.push({ where, section: tag, offset: 0, code: 'bad_checksum', message })
  }
  return findings
}

/** Returns one finding per section; if no section is damaged, one for the bytes between them. */
function pageFindings(
  where: string,
  from: number,
  to: number,
  inside: readonly Section[],
): readonly Finding[] {
  const message = `bytes ${from} to ${to} of the file are not as written`
  const code = 'bad_checksum'
  if (inside.length === 0) return [{ where, section: null, offset: from, code, message }]
  return inside.map(({ tag, offset }) => ({
    where,
    section: tag,
    offset: Math.max(0, from - offset),
    code,
    message,
  }))
}

/** Returns the error of `work`, or null. */
function refusal(work: () => void): CorruptionError | null {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    return error
  }
}
