// What does a person see who opens a page in a browser?
export {
  type Browser,
  hasChromium,
  openBrowser,
  type WatchedPage,
} from './chromium.ts'
