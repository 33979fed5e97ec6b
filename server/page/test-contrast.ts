// Measures the contrast of texts with their background in the page, from computed styles.
import type { Page } from 'playwright-core'

/** Returns the visible texts with a lower contrast than `ratioMin`, each with its ratio. */
export const faintTexts = (page: Page, ratioMin = 4.5): Promise<readonly string[]> =>
  page.evaluate((least) => {
    type Rgba = readonly [number, number, number, number]
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!
    const drawn = new Map<string, Rgba>()
    // Draws one pixel, because the browser understands every notation of a colour.
    const colourOf = (text: string): Rgba => {
      const known = drawn.get(text)
      if (known !== undefined) return known
      canvas.clearRect(0, 0, 1, 1)
      canvas.fillStyle = text
      canvas.fillRect(0, 0, 1, 1)
      const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data
      const colour: Rgba = [r, g, b, a / 255]
      drawn.set(text, colour)
      return colour
    }
    const over = (top: Rgba, ground: Rgba): Rgba => {
      const mix = (i: 0 | 1 | 2) => top[i] * top[3] + ground[i] * (1 - top[3])
      return [mix(0), mix(1), mix(2), 1]
    }
    const groundOf = (element: Element | null): Rgba => {
      if (element === null) return [255, 255, 255, 1]
      const own = colourOf(getComputedStyle(element).backgroundColor)
      return own[3] === 1 ? own : over(own, groundOf(element.parentElement))
    }
    const light = ([r, g, b]: Rgba): number => {
      const linear = [r, g, b].map((value) => {
        const share = value / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!
    }
    const faint: string[] = []
    for (const element of document.querySelectorAll('body *')) {
      const texts = [...element.childNodes].filter(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '',
      )
      const isField = element instanceof HTMLInputElement && element.value !== ''
      if ((texts.length === 0 && !isField) || !element.checkVisibility()) continue
      const ground = groundOf(element)
      const [a, b] = [light(over(colourOf(getComputedStyle(element).color), ground)), light(ground)]
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      if (ratio < least) {
        const words = element.textContent?.slice(0, 30)
        faint.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}: ${words}`)
      }
    }
    return faint
  }, ratioMin)
