/** A finite number in digits, never with an exponent, which not every reader takes. */
export function toPlainNumber(value: number): string {
  const text = String(value)
  const match = EXPONENT.exec(text)
  if (!match) return text
  const [, minus = '', whole = '', fraction = '', exponent = ''] = match
  const places = Number(exponent)
  const digits = whole + fraction
  if (places < 0) return `${minus}0.${'0'.repeat(-places - whole.length)}${digits}`
  return minus + digits.padEnd(whole.length + places, '0')
}

const EXPONENT = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/
