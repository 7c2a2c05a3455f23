/** Barcodes and the texts that they can hold. */

type BarcodeType = 'qr' | 'ean13' | 'ean8' | 'code128'

/** Most bytes of UTF-8 that a QR code holds with a quarter of it spared for damage. */
const QR_BYTES_MAX = 1600
/** Longest line that readers take. */
const CODE128_CHARACTERS_MAX = 80
const EAN_DIGITS = { ean13: 13, ean8: 8 } as const
const ASCII = /^[\x20-\x7e]+$/

/**
 * True when a symbol can hold a text; the check digit of an EAN may be missing, but not be wrong.
 */
export function fitsBarcode(type: BarcodeType, text: string): boolean {
  if (type === 'qr') return text !== '' && Buffer.byteLength(text) <= QR_BYTES_MAX
  if (type === 'code128') return text.length <= CODE128_CHARACTERS_MAX && ASCII.test(text)
  const length = EAN_DIGITS[type]
  if (!/^\d+$/.test(text) || text.length < length - 1 || text.length > length) return false
  return text.length === length - 1 || text.endsWith(String(planCheckDigit(text.slice(0, -1))))
}

/** The check digit of GS1: from the right the digits count three times and once, in turn. */
function planCheckDigit(digits: string): number {
  const sum = [...digits].reverse().reduce((all, digit, at) => {
    return all + Number(digit) * (at % 2 === 0 ? 3 : 1)
  }, 0)
  return (10 - (sum % 10)) % 10
}
