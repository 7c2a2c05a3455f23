/** libxml2's phrases about XML that is not well-formed, in plain English. */

const PHRASES: readonly [RegExp, (...parts: string[]) => string][] = [
  [
    /^Opening and ending tag mismatch: (\S+) line (\d+) and (\S+)/,
    (open, line, close) => `<${open}> of line ${line} is closed by </${close}>`,
  ],
  [
    /^Premature end of data in tag (\S+) line (\d+)/,
    (tag, line) => `<${tag}> of line ${line} is never closed`,
  ],
  [/^EndTag: '<\/' not found/, () => 'An element is never closed'],
  [/^Couldn't find end of Start Tag (\S+)/, (tag) => `The tag <${tag}> does not end properly`],
  [
    /^Entity '(.*)' not defined/,
    (name) => `Unknown entity &${name}; (known are &lt; &gt; &amp; &quot; &apos; and numbers)`,
  ],
  [/^Attribute (\S+) redefined/, (name) => `The attribute '${name}' stands twice on one element`],
  [
    /^Extra content at the end of the document/,
    () => 'Something follows the root element; several scripts in one file go into <Model>',
  ],
  [/^Start tag expected|^Document is empty/, () => 'An element was expected here'],
  [/^AttValue: /, () => "An attribute's value must stand in quotes"],
  [
    /^Specification mandates? value for attribute (\S+)/,
    (name) => `The attribute '${name}' has no value`,
  ],
  [/^(xmlParseEntityRef|EntityRef)/, () => 'A lone & (write &amp; for it)'],
  [/^xmlParseCharRef|^CharRef/, () => 'A malformed character reference (as in &#65;)'],
  [
    /^StartTag: invalid element name/,
    () => 'A lone < (write &lt; for it, or put the text into CDATA)',
  ],
  [/^Unescaped '<' not allowed/, () => 'A lone < in an attribute (write &lt; for it)'],
  [/^Sequence '\]\]>' not allowed/, () => 'A lone ]]> (write ]]&gt; for it)'],
  [
    /^(Invalid character|PCDATA invalid Char|Invalid bytes|Input is not proper)/,
    () => 'A character that XML does not allow',
  ],
  [
    /^Namespace prefix (\S+)/,
    (prefix) => `The prefix '${prefix}' is not declared; names have no prefix here`,
  ],
  [/^Comment not terminated/, () => 'A comment is never closed'],
  [/^CData section not finished/, () => 'A CDATA section is never closed'],
  [/^Excessive depth/, () => 'Elements are nested too deep'],
]

/** What an author understands of a message of libxml2's parser. */
export function explainXmlFault(message: string): string {
  const text = message.trim()
  for (const [expression, say] of PHRASES) {
    const match = expression.exec(text)
    if (match) return say(...match.slice(1))
  }
  return text === '' ? 'This is not well-formed XML' : text
}
