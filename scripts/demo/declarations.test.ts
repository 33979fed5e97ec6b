// The scanner on small pieces of declarations, and on arbitrary text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanDeclarations } from './declarations.ts'
import { Tokens } from './tokens.ts'

/**
 * `kind path.name` of each declaration, a star before static members, its comment's text after it.
 */
const brief = (text: string): string[] =>
  scanDeclarations(text).map(({ kind, name, module, path, isStatic, comment }) => {
    const where = [...(module === '' ? [] : [`${module}:`]), ...path.map((part) => `${part}.`)]
    const said = comment.replace(/^\/\*\*\s*|\s*\*\/$/g, '')
    const text = `${kind} ${where.join('')}${isStatic ? '*' : ''}${name}`
    return said === '' ? text : `${text} "${said}"`
  })

describe('tokens', () => {
  const values = (text: string): string[] => {
    const found: string[] = []
    for (const tokens = new Tokens(text); tokens.kind !== 'end'; tokens.advance()) {
      found.push(`${tokens.kind[0]}${tokens.value}`)
    }
    return found
  }

  it('are words, strings, numbers and marks', () => {
    expect(values(`get $a_1(x?: "a\\"b" | 'c'): 12.5 => \`t $u\`;`)).toEqual([
      'wget',
      'w$a_1',
      'm(',
      'wx',
      'm?',
      'm:',
      's"a\\"b"',
      'm|',
      "s'c'",
      'm)',
      'm:',
      'n12',
      'm.',
      'n5',
      'm=>',
      's`t $u`',
      'm;',
    ])
  })

  it('keep the last documentation comment before them', () => {
    const tokens = new Tokens('/** a */ /* b */ // c\n /** d */ x /* e */ y /**/ z /*** f */ w')
    const comments: string[] = []
    for (; tokens.kind !== 'end'; tokens.advance())
      comments.push(`${tokens.value} ${tokens.comment}`)
    expect(comments).toEqual(['x /** d */', 'y ', 'z ', 'w /*** f */'])
  })

  it('end at the end of the text in an unclosed string or comment', () => {
    expect(values('a "b\n c')).toEqual(['wa', 's"b', 'wc'])
    expect(values('a `b\n c')).toEqual(['wa', 's`b\n c'])
    expect(values('a /** b')).toEqual(['wa'])
  })
})

describe('declarations', () => {
  it('of an interface, with modifiers, names that look like modifiers, and computed names', () => {
    const text = `/** I */ interface Box<T extends { a: 1 } = { a: 1 }> extends Base<T>, Other {
      /** r */ readonly size: number;
      /** g */ get value(): T;
      set value(v: T);
      /** m */ get(key: string, more?: { x: number; y: string }): Map<string, T>;
      static: boolean;
      /** q */ "quoted-name"?: string,
      /** n */ new (x: T): Box<T>;
      /** c */ (x: T): void;
      /** i */ [index: number]: T;
      /** s */ [Symbol.iterator](): IterableIterator<T>;
      [K in keyof T]: T[K];
      /** f */ on(event: 'a;b', listener: (x: T) => { y: 1 }): this
    }`
    expect(brief(text)).toEqual([
      'interface Box "I"',
      'property Box.size "r"',
      'method Box.value "g"',
      'method Box.value',
      'method Box.get "m"',
      'property Box.static',
      'property Box.quoted-name "q"',
      'constructor Box.constructor "n"',
      'function Box "c"',
      'method Box.Symbol.iterator "s"',
      'method Box.on "f"',
    ])
  })

  it('of modules, namespaces, globals and their members', () => {
    const text = `import { a } from 'b';
      /** M */ declare module 'm' {
        import x = require('x');
        export { a, b } from 'c';
        export = m;
        /** f */ export function f<T>(a: T, b?: () => void): asserts a is string;
        namespace A.B { /** v */ const v: unique symbol; /** t */ type T = { a: 1 } | 'x;y'; }
        global { namespace NodeJS { interface Dict { /** d */ k: 1 } } }
        /** C */ export abstract class C extends D {
          /** s */ static make(): C; protected constructor(a: 1); }
        export default f;
      }
      /** e */ declare const enum E { A = 1, B = 2 }
      declare function last(): void`
    expect(brief(text)).toEqual([
      'module m:m "M"',
      'function m:f "f"',
      'namespace m:A.B',
      'variable m:A.B.v "v"',
      'type m:A.B.T "t"',
      'namespace m:NodeJS',
      'interface m:NodeJS.Dict',
      'property m:NodeJS.Dict.k "d"',
      'class m:C "C"',
      'method m:C.*make "s"',
      'constructor m:C.constructor',
      'type E "e"',
      'function last',
    ])
  })

  it('of a variable with a literal type are static members', () => {
    const text = `/** v */ declare var Signal: {
      prototype: Signal;
      /** n */ new(): Signal;
      /** t */ timeout(ms: number): Signal;
    };
    declare let plain: string;`
    expect(brief(text)).toEqual([
      'variable Signal "v"',
      'property Signal.*prototype',
      'constructor Signal.constructor "n"',
      'method Signal.*timeout "t"',
      'variable plain',
    ])
  })

  it('have their text on one line, without comments and bodies', () => {
    const text = `export interface A extends B { /** x */
      call(
        /** one */ a: string, // two
        b: "http://x",
      ): void; }`
    expect(scanDeclarations(text).map(({ signature }) => signature)).toEqual([
      'export interface A extends B',
      'call( a: string, b: "http://x", ): void',
    ])
    const long = scanDeclarations(`type T = ${'"abcdefgh" | '.repeat(100)}"x";`)[0]!.signature
    expect(long.length).toBeLessThanOrEqual(400)
    expect(long.endsWith('…')).toBe(true)
  })

  it('are found in arbitrary text, and the scanner always ends', () => {
    const piece = fc.constantFrom(
      'interface',
      'class',
      'module',
      'namespace',
      'global',
      'type',
      'const',
      'enum',
      'function',
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      '<',
      '>',
      ';',
      ',',
      ':',
      '?',
      '=>',
      '.',
      '=',
      '|',
      '-',
      '"s"',
      "'",
      '`',
      '/** d */',
      '/*',
      '//',
      '\n',
      'a',
      'static',
      'get',
      'new',
      '1',
      '\\',
      '$',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.boolean(), (pieces, spaced) => {
        for (const { name } of scanDeclarations(pieces.join(spaced ? ' ' : ''))) {
          expect(typeof name).toBe('string')
        }
      }),
      { numRuns: 500 },
    )
  })

  it('may be nested without end', () => {
    expect(scanDeclarations('namespace a { '.repeat(5_000)).length).toBeLessThan(5_001)
    expect(scanDeclarations('var a: { '.repeat(5_000)).length).toBeGreaterThan(0)
  })
})
