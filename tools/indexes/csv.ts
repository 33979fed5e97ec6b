// Writes documents as CSV that a server can import again: `name:number` and `name:boolean` head the
// columns whose values all have that type; lists and objects are written as JSON.

export type CsvColumn = { readonly name: string; readonly kind: 'string' | 'number' | 'boolean' }

type Seen = { strings: boolean; numbers: boolean; booleans: boolean }

/** Returns the members of all documents in order of first occurrence. Reads all documents once. */
export async function csvColumns(
  chunks: AsyncIterable<readonly string[]>,
): Promise<readonly CsvColumn[]> {
  const seen = new Map<string, Seen>()
  for await (const lines of chunks) {
    for (const line of lines) {
      for (const [name, value] of membersOf(line)) {
        const kinds = seen.get(name) ?? { strings: false, numbers: false, booleans: false }
        if (typeof value === 'number') kinds.numbers = true
        else if (typeof value === 'boolean') kinds.booleans = true
        else if (value !== null) kinds.strings = true
        seen.set(name, kinds)
      }
    }
  }
  return [...seen].map(([name, kinds]) => ({ name, kind: kindOf(kinds) }))
}

function kindOf({ strings, numbers, booleans }: Seen): CsvColumn['kind'] {
  if (numbers && !strings && !booleans) return 'number'
  return booleans && !strings && !numbers ? 'boolean' : 'string'
}

export const csvHead = (columns: readonly CsvColumn[]): string =>
  lineOf(columns.map(({ name, kind }) => (kind === 'string' ? name : `${name}:${kind}`)))

/** Returns the line of one document, which is JSON text. */
export function csvLine(columns: readonly CsvColumn[], document: string): string {
  const members = new Map(membersOf(document))
  return lineOf(columns.map(({ name }) => cellOf(members.get(name))))
}

const membersOf = (document: string): [string, unknown][] =>
  Object.entries(JSON.parse(document) as object)

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const lineOf = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`

const quoted = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
