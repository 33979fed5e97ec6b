// Every checksum of a frame, page by page and section by section, without ending at the first that
// fails. Layout: format/frame/FRAME.md
import { CorruptionError } from '../../format/errors.ts'
import { FRAME_PAGE_BYTES, type Frame, type Section } from '../../format/frame/index.ts'
import type { Finding } from './finding.ts'

const FOOTER_BYTES = 32
const FOOTER_CHECKSUM_FROM_END = 8

/** The checksum in the footer of a frame, by which the manifest knows a file again. */
export const footerChecksum = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(
    bytes.length - FOOTER_CHECKSUM_FROM_END,
    true,
  )

/** Where the sections of an open frame end and its tables begin. */
export const tableOffsetOf = ({ bytes }: Frame): number =>
  Number(
    new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(bytes.length - FOOTER_BYTES, true),
  )

/**
 * What is damaged, by ascending offset: a finding for each page, in the section of it whose own
 * checksum fails as well. `progress` is told how many bytes were looked at.
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
    const message = 'the checksum of the section is another than that of its bytes'
    findings.push({ where, section: tag, offset: 0, code: 'bad_checksum', message })
  }
  return findings
}

/** One for each section; where no section is to blame, it is what lies between them. */
function pageFindings(
  where: string,
  from: number,
  to: number,
  inside: readonly Section[],
): readonly Finding[] {
  const message = `bytes ${from} to ${to} of the file are not what was written`
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

/** What `work` refuses, or null. */
function refusal(work: () => void): CorruptionError | null {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    return error
  }
}
