/** Names of files as people see them. No such name is ever a path of the engine's. */

/** Code points of a name; file systems of people's machines take 255 bytes at most. */
const NAME_LENGTH_MAX = 200
const EXTENSION_LENGTH_MAX = 20
/** Most characters that are read, from the end of a name. */
const GIVEN_LENGTH_MAX = 1000
const NAMELESS = 'file'

/** Controls, marks that turn the direction of writing, zero-width signs, halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu
/** Characters that browsers escape in the names of multipart forms: quotes and line ends. */
const ESCAPED = /%(?:22|0d|0a)/gi
/** Characters that have a special meaning in some file system. */
const MEANT = /[/\\:*?"<>|]/g
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/**
 * A client's file name as it may be shown and saved anywhere: the last part of a path, in NFC,
 * without signs that are unseen or read as more than a letter, cut to length before its extension.
 * Never empty.
 */
export function cleanFileName(given: string): string {
  const visible = given.slice(-GIVEN_LENGTH_MAX).replace(ESCAPED, '_').replace(UNSEEN, '')
  const last = visible.split(/[/\\]/).findLast((part) => part !== '') ?? ''
  const plain = last
    .normalize('NFC')
    .replace(MEANT, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const name = RESERVED.test(plain) ? `_${plain}` : plain
  return name === '' ? NAMELESS : cut(name)
}

/** Signs that read like one that no file name may have; all others are left out. */
const READABLE: Readonly<Record<string, string>> = { '/': '-', '\\': '-', ':': ' -', '"': "'" }

/** Bytes of a title and of its mark in UTF-8: with an extension they fit every file system. */
const TITLE_BYTES_MAX = 160
const MARK_BYTES_MAX = 60

/**
 * The name, without its extension, of a file that the engine makes: its title, and the mark that
 * tells it from others of that title. `('Open orders', '2026-11-28')` is `Open orders 2026-11-28`.
 */
export function planFileName(title: string, mark: string): string {
  const parts = [cutBytes(title, TITLE_BYTES_MAX), cutBytes(mark, MARK_BYTES_MAX)]
  return cleanFileName(parts.join(' ').replace(MEANT, (sign) => READABLE[sign] ?? ''))
}

function cutBytes(text: string, bytesMax: number): string {
  let bytes = 0
  let kept = ''
  for (const { segment } of GRAPHEMES.segment(text.slice(0, bytesMax))) {
    bytes += Buffer.byteLength(segment)
    if (bytes > bytesMax) break
    kept += segment
  }
  return kept.trim()
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function cut(name: string): string {
  const letters = [...name]
  if (letters.length <= NAME_LENGTH_MAX) return name
  const extension = [...extensionOf(name)]
  const end = extension.length > 0 && extension.length <= EXTENSION_LENGTH_MAX ? extension : []
  return [...letters.slice(0, NAME_LENGTH_MAX - end.length), ...end].join('')
}

/** `.pdf` with its dot, in the case that it has; '' for a name without one. */
export function extensionOf(name: string): string {
  return /[^.](\.[^.\s]+)$/.exec(name)?.[1] ?? ''
}
