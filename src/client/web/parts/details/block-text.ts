/** The text of a block of cells, as spreadsheets put it on the clipboard: `1\t2\n3\t4`. */

/** Cells of a text that was copied from a spreadsheet; quoted cells may hold lines. */
export function readBlock(text: string): string[][] {
  const lines: string[][] = [['']]
  let isQuoted = false
  const ended = text.replaceAll('\r\n', '\n').replace(/\n$/, '')
  for (let at = 0; at < ended.length; at++) {
    const letter = ended[at] ?? ''
    const line = lines.at(-1) ?? []
    if (isQuoted) {
      if (letter !== '"') line[line.length - 1] += letter
      else if (ended[at + 1] === '"') line[line.length - 1] += ended[at++] ?? ''
      else isQuoted = false
    } else if (letter === '"' && line.at(-1) === '') isQuoted = true
    else if (letter === '\t') line.push('')
    else if (letter === '\n') lines.push([''])
    else line[line.length - 1] += letter
  }
  return lines
}
