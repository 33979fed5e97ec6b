// Terminal output: colours, aligned columns, bars, one line of progress.

type Paint = (text: string) => string
type Palette = { readonly bold: Paint; readonly dim: Paint; readonly accent: Paint }

/** The output of the demo. `columns`: the width of a line. */
export type Terminal = {
  readonly palette: Palette
  readonly columns: number
  readonly line: (text: string) => void
  /** Replaces the last such line on a terminal; prints nothing elsewhere. */
  readonly progress: (text: string) => void
}

type Stream = {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** For files and pipes, where lines may be long. */
const COLUMNS_DEFAULT = 150
const COLUMNS_MIN = 60

/** Colours are used only on a terminal, and never if `NO_COLOR` is set to any value. */
export function openTerminal(
  stream: Stream,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const tty = stream.isTTY === true && environment['TERM'] !== 'dumb'
  const coloured = tty && (environment['NO_COLOR'] ?? '') === ''
  const columns = Math.max(COLUMNS_MIN, (tty && stream.columns) || COLUMNS_DEFAULT)
  let changing = false
  const settle = () => {
    if (changing) stream.write('\r\x1b[K')
    changing = false
  }
  return {
    palette: palette(coloured),
    columns,
    line: (text) => {
      settle()
      stream.write(`${text}\n`)
    },
    progress: (text) => {
      if (!tty) return
      settle()
      stream.write(cut(text, columns - 1))
      changing = true
    },
  }
}

function palette(coloured: boolean): Palette {
  const paint = (code: number): Paint =>
    coloured ? (text) => `\x1b[${code}m${text}\x1b[0m` : (text) => text
  return { bold: paint(1), dim: paint(2), accent: paint(36) }
}

export type Column = { readonly title: string; readonly align: 'left' | 'right' }

/**
 * Returns lines of a table, the titles first. The last column is cut so that no line is wider than
 * `columns`.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: Pick<Terminal, 'columns' | 'palette'>,
): string[] {
  const widths = columns.map(({ title }, i) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[i] ?? ''))),
  )
  const last = columns.length - 1
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0)
  widths[last] = Math.max(10, Math.min(widths[last]!, terminal.columns - before))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => padded(cut(cell, widths[i]!), widths[i]!, columns[i]!.align))
      .join('  ')
      .trimEnd()
  const head = line(columns.map(({ title }) => title))
  return [terminal.palette.dim(head), ...rows.map(line)]
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/**
 * Returns a bar of up to `cells` characters for `value` of `most`; any value above zero is visible.
 */
export function bar(value: number, most: number, cells: number): string {
  if (!(value > 0) || !(most > 0)) return ''
  const eighths = Math.max(1, Math.round((Math.min(value, most) / most) * cells * 8))
  return '█'.repeat(eighths >> 3) + EIGHTHS[eighths & 7]!
}

/** Counts columns: full-width scripts and pictures take two, combining marks none. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of text) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) continue
    width += WIDE.test(character) ? 2 : 1
  }
  return width
}

const WIDE = new RegExp(
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff' +
    '\\ufe30-\\ufe6f\\uff00-\\uff60\\u{1f300}-\\u{1faff}\\u{20000}-\\u{3ffff}]',
  'u',
)

/** Cuts to `width` columns; a cut text ends with an ellipsis. */
export function cut(text: string, width: number): string {
  const oneLine = text.replace(/[\s\p{Cc}]+/gu, ' ')
  if (textWidth(oneLine) <= width) return oneLine
  let kept = ''
  let used = 0
  for (const character of oneLine) {
    used += textWidth(character)
    if (used > width - 1) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/** Pads to `width` columns; longer texts stay unchanged. */
export function padded(text: string, width: number, align: Column['align'] = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'left' ? text + space : space + text
}

/** 12345 → '12,345'. */
export const grouped = (count: number): string =>
  String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',')

/** Formats milliseconds with three significant digits. */
export function milliseconds(ms: number): string {
  if (ms < 10) return ms.toFixed(2)
  return ms < 100 ? ms.toFixed(1) : ms.toFixed(0)
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
