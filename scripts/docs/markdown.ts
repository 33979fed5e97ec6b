// Markdown to HTML by the library `marked`, with anchors as GitHub makes them.
import { Marked, type RendererObject, type Tokens } from 'marked'

const ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character]!)

/** The anchor of a heading: GitHub's rule. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')

/**
 * `link` gives the address of a link or an image of the page. Parts that scroll on narrow screens can
 * have the focus, so that the keyboard scrolls them.
 */
export function htmlOf(markdown: string, link: (href: string) => string): string {
  const renderer: RendererObject = {
    heading({ tokens, text, depth }) {
      const id = anchorOf(text)
      const inside = this.parser.parseInline(tokens)
      return `<h${depth} id="${id}">${inside}<a class="anchor" href="#${id}">#</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      return `<a href="${escapeHtml(link(href))}">${this.parser.parseInline(tokens)}</a>`
    },
    image({ href, text }) {
      const image = `<img src="${escapeHtml(link(href))}" alt="${escapeHtml(text)}">`
      return `<span class="picture" tabindex="0">${image}</span>`
    },
    code({ text, lang = '' }) {
      const language = escapeHtml(lang.split(' ')[0]!)
      return `<pre tabindex="0"><code class="language-${language}">${escapeHtml(text)}</code></pre>\n`
    },
    table(token) {
      const row = (cells: readonly Tokens.TableCell[], tag: string): string =>
        cells
          .map(({ text, tokens, align }) => {
            const style = align === null ? '' : ` style="text-align:${align}"`
            // A heading needs a text.
            const name = text === '' ? 'td' : tag
            return `<${name}${style}>${this.parser.parseInline(tokens)}</${name}>`
          })
          .join('')
      const body = token.rows.map((cells) => `<tr>${row(cells, 'td')}</tr>`).join('\n')
      const head = `<thead><tr>${row(token.header, 'th')}</tr></thead>`
      return `<div class="wide" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`
    },
  }
  return new Marked({ renderer }).parse(markdown, { async: false })
}
