// Documentation comments as they occur in declaration files.
import { describe, expect, it } from 'vitest'
import { readDocComment } from './doc-comment.ts'

const EMPTY = {
  summary: '',
  description: '',
  params: [],
  returns: '',
  deprecated: false,
  since: '',
  url: '',
}

describe('a documentation comment', () => {
  it('of one line', () => {
    expect(readDocComment('/** Clears the *canvas* and `resets` it. */')).toEqual({
      ...EMPTY,
      summary: 'Clears the *canvas* and resets it.',
    })
  })

  it('that only refers elsewhere', () => {
    const address = 'https://developer.mozilla.org/docs/Web/API/AbortSignal/abort_event'
    expect(readDocComment(`/** [MDN Reference](${address}) */`)).toEqual({ ...EMPTY, url: address })
  })

  it('with paragraphs, code and tags', () => {
    const comment = `/**
     * The **\`readFile()\`** function, see {@link readFileSync} and {@link open the other}.
     * It is _not_ a stream; [details](https://example.org/a_(b)).
     *
     * An example:
     *
     * \`\`\`js
     * @decorated
     * const text = await readFile(\`a_b_c\`) // **stays**
     * \`\`\`
     * @since v10.0.0, v8.1.0
     * @param path a file name
     *   on two lines
     * @param {Object} [options=null] - what else
     * @return A promise of \`Buffer\`.
     * @default 'utf8'
     * @deprecated Since v12.0.0 - use something else.
     * @see [source](https://example.org/lib/fs.js)
     */`
    expect(readDocComment(comment)).toEqual({
      summary:
        'The readFile() function, see readFileSync and the other. It is not a stream; details.',
      description: [
        'An example:',
        '@decorated\nconst text = await readFile(`a_b_c`) // **stays**',
        'Deprecated: Since v12.0.0 - use something else.',
        "Default: 'utf8'",
      ].join('\n\n'),
      params: [
        { name: 'path', text: 'a file name on two lines' },
        { name: 'options', text: 'what else' },
      ],
      returns: 'A promise of Buffer.',
      deprecated: true,
      since: 'v10.0.0',
      url: 'https://example.org/lib/fs.js',
    })
  })

  it('that is empty', () => {
    expect(readDocComment('/** */')).toEqual(EMPTY)
    expect(readDocComment('/**\n *\n */')).toEqual(EMPTY)
    expect(readDocComment('/** @deprecated */')).toEqual({ ...EMPTY, deprecated: true })
  })
})
