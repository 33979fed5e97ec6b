// The filters of templates: the number of arguments of each, and which work on numbers. Filters of
// the library that are not listed do not exist.

export type FilterSpec = {
  /** Fewer arguments are refused when the template is parsed. */
  readonly argumentsMin: number
  readonly argumentsMax: number
  /** Accepts only numbers, and texts that are numbers. */
  readonly isArithmetic?: boolean
}

const takes = (argumentsMin: number, argumentsMax: number = argumentsMin): FilterSpec => ({
  argumentsMin,
  argumentsMax,
})
const arithmetic = (argumentsMin: number, argumentsMax?: number): FilterSpec => ({
  ...takes(argumentsMin, argumentsMax),
  isArithmetic: true,
})

export const FILTERS: { readonly [name: string]: FilterSpec } = {
  abs: arithmetic(0),
  append: takes(1),
  at_least: arithmetic(1),
  at_most: arithmetic(1),
  capitalize: takes(0),
  ceil: arithmetic(0),
  compact: takes(0, 1),
  concat: takes(1),
  date: takes(1),
  default: takes(1),
  divided_by: arithmetic(1),
  downcase: takes(0),
  escape: takes(0),
  escape_once: takes(0),
  first: takes(0),
  floor: arithmetic(0),
  join: takes(0, 1),
  last: takes(0),
  lstrip: takes(0),
  map: takes(1),
  minus: arithmetic(1),
  modulo: arithmetic(1),
  newline_to_br: takes(0),
  plus: arithmetic(1),
  prepend: takes(1),
  remove: takes(1),
  remove_first: takes(1),
  replace: takes(1, 2),
  replace_first: takes(1, 2),
  reverse: takes(0),
  round: arithmetic(0, 1),
  rstrip: takes(0),
  size: takes(0),
  slice: takes(1, 2),
  sort: takes(0, 1),
  sort_natural: takes(0, 1),
  split: takes(1),
  strip: takes(0),
  strip_html: takes(0),
  strip_newlines: takes(0),
  times: arithmetic(1),
  truncate: takes(0, 2),
  truncatewords: takes(0, 2),
  uniq: takes(0),
  upcase: takes(0),
  url_decode: takes(0),
  url_encode: takes(0),
  where: takes(1, 2),
}
