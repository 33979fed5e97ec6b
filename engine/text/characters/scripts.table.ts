// Which code points belong to which script: hex, ranges inclusive. A code point that two rows claim
// belongs to the earlier one; one that no row claims is `Other`: digits, ASCII punctuation, spaces,
// symbols, emoji.
//
// The ranges are those of the analysis, not of Unicode: Latin has all of 0080-00FF, and compatibility
// forms (full and half width, mathematical letters) have the script of what they stand for. Armenian never begins a run (see runs.ts). Lao has a row because it has a
// segmenter here.

/** Row order is the order of the ids in characters.ts. */
export const SCRIPT_RANGES = {
  Latin:
    '0041-005A 0061-007A 0080-02AF 1D00-1DBF 1E00-1EFF 2100-214F 2160-2188 249C-24E9 2C60-2C7F ' +
    'A720-A7FF AB30-AB6F FB00-FB06 FF21-FF3A FF41-FF5A 1D400-1D6A5',
  Cyrillic: '0400-0484 0487-052F 2DE0-2DFF A640-A69D A69F 1D2B 1D78',
  Arabic: '0600-06FF 0750-07FF 08A0-08FF FB50-FDFF FE70-FEFF 10E60-10E7F 1EE00-1EEFF',
  Devanagari: '0900-097F A8E0-A8FF 1CD0-1CFF',
  Hebrew: '0590-05FF',
  Ethiopic: '1200-139F 2D80-2DDF AB00-AB2F',
  Georgian: '10A0-10FF',
  Bengali: '0980-09FF',
  Hangul: 'AC00-D7FF 1100-11FF 3130-318F 3200-32FF A960-A97F FFA1-FFDC',
  Cj:
    '3040-30FF 2E80-2E99 2E9B-2EF3 2F00-2FD5 3005 3007 3021-3029 3038-303B 3400-4DB5 4E00-9FCC ' +
    'F900-FA6D FA70-FAD9 FF66-FF9F',
  Greek: '0370-03FF 1D6A8-1D7CB',
  Kannada: '0C80-0CFF',
  Tamil: '0B80-0BFF',
  Thai: '0E00-0E7F',
  Gujarati: '0A80-0AFF',
  Gurmukhi: '0A00-0A7F',
  Telugu: '0C00-0C7F',
  Malayalam: '0D00-0D7F',
  Oriya: '0B00-0B7F',
  Myanmar: '1000-109F',
  Sinhala: '0D80-0DFF',
  Khmer: '1780-17FF 19E0-19FF',
  Lao: '0E80-0EFF',
  Armenian: '0530-058F',
} as const
