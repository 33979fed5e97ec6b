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
 * What is damaged, by ascending offset: a finding for each page, in the section that it belongs to.
 * `progress` is told how many bytes were looked at.
 */
export function frameDamage(
  frame: Frame,
  where: string,
  progress: (bytes: number) => void = () => undefined,
): readonly Finding[] {
  const findings: Finding[] = []
  const sections = [...frame.sections]
  const damaged = new Set<Section>()
  const end = tableOffsetOf(frame)
  for (let from = 0; from < end; from += FRAME_PAGE_BYTES) {
    const to = Math.min(from + FRAME_PAGE_BYTES, end)
    const error = refusal(() => frame.touch(from, to))
    progress(to)
    if (error === null) continue
    const inside = sections.filter((s) => s.offset < to && s.offset + s.length > from)
    for (const section of inside) damaged.add(section)
    findings.push(pageFinding(where, from, to, inside))
  }
  for (const section of sections) {
    if (damaged.has(section)) continue
    const error = refusal(() => section.verifyChecksum())
    if (error === null) continue
    const message = 'the checksum of the whole section is another than that of its bytes'
    findings.push({ where, section: section.tag, offset: 0, code: error.code, message })
  }
  return findings
}

function pageFinding(where: string, from: number, to: number, inside: readonly Section[]): Finding {
  const [first] = inside
  const others = inside.slice(1).map(({ tag }) => tag)
  const also = others.length === 0 ? '' : `, which holds parts of ${others.join(', ')} as well`
  return {
    where,
    section: first?.tag ?? null,
    offset: first === undefined ? from : Math.max(0, from - first.offset),
    code: 'bad_checksum',
    message: `the page of bytes ${from} to ${to} of the file${also} is not what was written`,
  }
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
