// Written numbers, as the program's `WrittenNumber` reads them (Tests/Vectors/numbers.json).

// { number }, { ambiguous: [fraction, whole] } or {}.
export function read(text) {
  const parts = /^([-+−]?)([^eE]*)((?:[eE][-+−]?[0-9]+)?)$/u.exec(text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, ''));
  if (!parts) return {};
  const [sign, exponent] = [parts[1], parts[3]].map(part => part.replace('−', '-'));
  const plain = mantissa => { const number = sign + mantissa + exponent; return Number.isFinite(Number(number)) ? number : null; };
  const mantissa = parts[2].replace(/[ \u00a0\u2007\u2009\u202f]/g, ' ').replaceAll('’', "'");
  if (!/^[0-9., ']*[0-9][0-9., ']*$/.test(mantissa)) return {};
  const pieces = mantissa.split(/[., ']/), separators = mantissa.match(/[., ']/g) ?? [], joined = pieces.join('');
  const number = digits => { const found = plain(digits); return found === null ? {} : { number: found }; };
  const [first, last] = [separators[0], separators.at(-1)];
  if (!last) return number(joined);
  if (separators.length === 1 && (last === '.' || last === ',')) {
    if (last === '.' || !isGrouped(pieces)) return number(pieces.join('.'));
    const both = [pieces.join('.').replace(/\.?0+$/, ''), joined].map(plain);
    return both.includes(null) ? {} : { ambiguous: both };
  }
  if (separators.every(one => one === first)) return isGrouped(pieces) ? number(joined) : {};
  const isFraction = (last === '.' || last === ',') && last !== first && separators.slice(0, -1).every(one => one === first) && pieces.at(-1) && isGrouped(pieces.slice(0, -1));
  return isFraction ? number(pieces.slice(0, -1).join('') + '.' + pieces.at(-1)) : {};
}
const isGrouped = ([head, ...others]) => /^[1-9][0-9]{0,2}$/.test(head) && others.every(group => group.length === 3);
