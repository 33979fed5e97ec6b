// Declares the part of a package without types that the tests use.
declare module 'parse-prometheus-text-format' {
  const parse: (text: string) => unknown
  export = parse
}
