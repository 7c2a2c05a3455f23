/** Messages to browsers, and how they are cut to fit. */
import { createECDH } from 'node:crypto'
import { encrypt } from 'http_ece'

/** A message as the browser's service worker reads it: parts of the notification record. */
export interface PushMessage {
  Id: number
  Seq: number
  Title: string
  Body: string | null
  Level: string
  /** The record that it is about, where its user sees it. */
  Object: string | null
  Keys: Readonly<Record<string, unknown>> | null
  Url: string | null
  Kind: string
  /** True if Title or Body were too long and end early. */
  IsCut?: true
}

/**
 * Bytes that every push service takes (RFC 8030, 7.2), less what encryption adds: a header with the
 * sender's key, the mark of the last record and the tag (RFC 8188).
 */
const TEXT_BYTES_MAX = 4096 - 86 - 1 - 16

/** The message as JSON of at most 4 KB once it is encrypted; a text that is too long ends early. */
export function formatMessage(message: PushMessage): string {
  const whole = JSON.stringify(message)
  if (Buffer.byteLength(whole) <= TEXT_BYTES_MAX) return whole
  const title = shorten(message.Title, TEXT_BYTES_MAX / 4)
  const cut: PushMessage = { ...message, Title: title, Body: null, IsCut: true }
  const Url = isLong(message.Url) ? null : message.Url
  const place = { Url, ...(isLong(message.Keys) && { Object: null, Keys: null }) }
  const left = TEXT_BYTES_MAX - Buffer.byteLength(JSON.stringify({ ...cut, ...place }))
  const body = message.Body === null ? null : shorten(message.Body, left)
  return JSON.stringify({ ...cut, ...place, Body: body })
}

/** A long address or key is left out: the list of notifications has it. */
const isLong = (value: string | object | null): boolean => bytesOf(value) > TEXT_BYTES_MAX / 4

const bytesOf = (value: string | object | null): number => Buffer.byteLength(JSON.stringify(value))

/** The longest beginning whose JSON fits so many bytes, in whole characters. */
function shorten(text: string, bytesMax: number): string {
  if (bytesOf(text) <= bytesMax) return text
  const characters = [...text.slice(0, bytesMax)]
  let [fits, over] = [0, characters.length]
  while (fits < over - 1) {
    const middle = (fits + over) >> 1
    if (bytesOf(`${characters.slice(0, middle).join('')}…`) <= bytesMax) fits = middle
    else over = middle
  }
  return `${characters.slice(0, fits).join('')}…`
}

/** The keys of a browser's subscription, as base64url. */
export interface BrowserKeys {
  p256dh: string
  auth: string
}

/** Tells whether messages can be encrypted for these keys: a point of P-256, and 16 bytes. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url')
  if (point.byteLength !== 65 || Buffer.from(auth, 'base64url').byteLength !== 16) return false
  const own = createECDH('prime256v1')
  own.generateKeys()
  try {
    return own.computeSecret(point).byteLength === 32
  } catch {
    return false
  }
}

/** The body of a request to a push service (RFC 8291), with a key pair and salt of its own. */
export function encryptMessage(text: string, { p256dh, auth }: BrowserKeys): Buffer {
  const privateKey = createECDH('prime256v1')
  privateKey.generateKeys()
  const keys = { privateKey, dh: p256dh, authSecret: auth }
  return encrypt(Buffer.from(text), { version: 'aes128gcm', ...keys })
}
