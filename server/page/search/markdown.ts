// Shows Markdown as elements, for the answers of models. It is a script of its own, which the page
// loads with the first answer. Texts become text nodes; markup in the text stays text, pictures are
// links, and links lead only to addresses of the web.
import { Lexer, type Token, type Tokens } from 'marked'
import { type Child, h } from '../parts/index.ts'
import { link, webAddress } from './picture.ts'

/** Characters of the longest text that is read: lists in lists take time that grows with its square. */
const LENGTH_MAX = 30_000

/** Returns the elements of a text; one that is too long or nests too deeply comes back as it is. */
export function markdown(text: string): Child {
  if (text.length > LENGTH_MAX) return plain(text)
  try {
    return blocks(new Lexer().lex(text))
  } catch (error) {
    // The lexer calls itself for each level.
    if (!(error instanceof RangeError)) throw error
    return plain(text)
  }
}

const plain = (text: string): HTMLElement => h('pre', { tabindex: '0' }, text)

const blocks = (tokens: readonly Token[]): Child => tokens.map(block)

function block(token: Token): Child {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      // The page has headings of its own; those of an answer are no part of its outline.
      return h('p', { class: 'answer-heading' }, inlines(token.tokens))
    case 'paragraph':
      return h('p', {}, inlines(token.tokens))
    case 'text':
      return token.tokens === undefined ? textOf(token) : inlines(token.tokens)
    case 'code':
      return plain(textOf(token))
    case 'blockquote':
      return h('blockquote', {}, blocks(token.tokens ?? []))
    case 'hr':
      return h('hr')
    case 'list': {
      const { ordered, start, items } = token as Tokens.List
      const lines = items.map(({ tokens }) => h('li', {}, blocks(tokens)))
      return ordered ? h('ol', { start: start === '' ? null : start }, lines) : h('ul', {}, lines)
    }
    case 'table':
      return table(token as Tokens.Table)
    default:
      return inline(token)
  }
}

const inlines = (tokens: readonly Token[] | undefined): Child => (tokens ?? []).map(inline)

function inline(token: Token): Child {
  switch (token.type) {
    case 'strong':
      return h('strong', {}, inlines(token.tokens))
    case 'em':
      return h('em', {}, inlines(token.tokens))
    case 'del':
      return h('del', {}, inlines(token.tokens))
    case 'codespan':
      return h('code', {}, textOf(token))
    case 'br':
      return h('br')
    case 'link':
    case 'image': {
      const { href, text } = token as Tokens.Link
      const address = webAddress(href)
      return address === null ? token.raw : link(address, text === '' ? href : text)
    }
    case 'text':
    case 'escape':
      return textOf(token)
    default:
      return token.raw
  }
}

const textOf = (token: Token): string => ('text' in token ? String(token.text) : token.raw)

const table = ({ header, rows }: Tokens.Table): HTMLElement =>
  h(
    'div',
    { class: 'hit-table', tabindex: '0', role: 'region', 'aria-label': 'Table' },
    h(
      'table',
      {},
      h(
        'tr',
        {},
        header.map(({ tokens }) => h('th', { scope: 'col' }, inlines(tokens))),
      ),
      rows.map((row) =>
        h(
          'tr',
          {},
          row.map(({ tokens }) => h('td', {}, inlines(tokens))),
        ),
      ),
    ),
  )
