// What the tests use of a package that brings no types.
declare module 'parse-prometheus-text-format' {
  const parse: (text: string) => unknown
  export = parse
}
