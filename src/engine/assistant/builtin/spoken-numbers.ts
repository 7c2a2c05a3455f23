/** Numbers in words: `forty-five`, `two hundred and ten` are one word of a question. */
import { type Language, stemOf } from './language.ts'
import { type QuestionWord, splitWords } from './words.ts'
import { joinNumberWords, readNumberWords } from '../openai/number-words.ts'

/** The words of a question, a number in several words or in a compound as one of them. */
export function splitQuestion(text: string, language: Language, today: string): QuestionWord[] {
  const words = splitWords(text, language.decimal, today)
  const { line, starts } = writeLine(words, language)
  const numbers = joinNumberWords(line, [])
  if (numbers.length === 0) return words
  const joined: QuestionWord[] = []
  for (let at = 0; at < words.length;) {
    const start = starts[at] ?? 0
    const found = numbers.find((each) => each.start === start)
    const length = found ? starts.filter((each) => each >= start && each < found.end).length : 1
    const covered = words.slice(at, at + length)
    const said = found && line.slice(found.start, found.end)
    const number =
      said === undefined || isKnown(covered, language)
        ? undefined
        : readNumberWords(said, undefined)
    if (number === undefined) joined.push(...covered)
    else joined.push({ kind: 'number', text: said ?? '', plain: String(number), number })
    at += length
  }
  return joined
}

/** The words with their places, in lines that end where a number cannot go on. */
function writeLine(words: readonly QuestionWord[], language: Language) {
  const starts: number[] = []
  let line = ''
  let isBetween = false
  for (const word of words) {
    const known = language.phrases.get(stemOf(word, language))
    const isJoint = isBetween && known?.concepts.has('or') === true
    starts.push(line.length)
    // `between one hundred and two hundred` are two.
    line += word.kind === 'word' && !isJoint ? `${word.text} ` : '\n'
    isBetween ||= known?.concepts.has('between') === true || known?.period.has('since') === true
  }
  return { line, starts }
}

/** True for words that the language has a number for by themselves: `five`, `two thousand`. */
function isKnown(words: readonly QuestionWord[], language: Language): boolean {
  const [first, second, third] = words.map((word) => stemOf(word, language))
  const known = language.phrases.get([first, second, third].filter((stem) => stem).join(' '))
  if (words.length > 3 || !first) return false
  if (known?.number !== undefined || known?.scale !== undefined) return true
  const scale = second === undefined ? undefined : language.phrases.get(second)?.scale
  const isScaled = third === undefined && scale !== undefined
  return isScaled && language.phrases.get(first)?.number !== undefined
}
