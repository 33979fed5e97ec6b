// Documents for templates: whole numbers that no double equals become texts, so that templates
// show their digits.
import { wholeNumber } from '../../../format/bytes/index.ts'

const LONG = /\d{16}/
/** Texts, so that digits in them stay, and whole numbers of 16 or more digits. */
const PARTS = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

/** Parses the JSON of a document, or of one of its values. */
export function parsedForTemplate(json: string): unknown {
  if (!LONG.test(json)) return JSON.parse(json)
  return JSON.parse(
    json.replace(PARTS, (part) =>
      part.startsWith('"') || typeof wholeNumber(part) === 'number' ? part : `"${part}"`,
    ),
  )
}
