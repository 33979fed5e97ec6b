// Reads the counts of a segment of the text layer · layout: ./POSTINGS.md
import { refuse } from '../errors.ts'
import type { Frame } from '../frame/index.ts'

/** Version of the section `META`; from version 2 on it holds the analysis version. */
export const META_VERSION = 2
const META_BYTES = 32

export type TextMeta = {
  readonly documents: number
  readonly idMin: number
  readonly idMax: number
  readonly terms: number
  readonly prefixes: number
  /** Version of the analysis that produced the terms; 0 if the segment does not record it. */
  readonly analysis: number
  readonly occurrences: number
}

/** Reads only the section `META`. @throws CorruptionError, VersionError */
export function readTextMeta(frame: Frame): TextMeta {
  const section = frame.section('META', 1, META_VERSION)
  if (section.length !== META_BYTES) refuse('META', 0, 'bad_length', META_BYTES, section.length)
  const bytes = section.all()
  const view = new DataView(bytes.buffer, bytes.byteOffset, META_BYTES)
  const u32 = (at: number): number => view.getUint32(at, true)
  const meta: TextMeta = {
    documents: u32(0),
    idMin: u32(4),
    idMax: u32(8),
    terms: u32(12),
    prefixes: u32(16),
    analysis: u32(20),
    occurrences: u32(24) + u32(28) * 4294967296,
  }
  if (section.version === 1 && meta.analysis !== 0) {
    refuse('META', 20, 'bad_value', 0, meta.analysis)
  }
  const span = meta.idMax - meta.idMin + 1
  if (meta.documents === 0 || meta.documents > span) {
    refuse('META', 0, 'bad_value', `1..${span} documents`, meta.documents)
  }
  return meta
}
