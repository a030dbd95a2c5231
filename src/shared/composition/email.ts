/** Validates e-mail addresses: impossible ones are errors, probable typing errors are warnings. */
import { z } from 'zod'
import { error, type Problem, warning } from './problem.ts'

const email = z.email({ pattern: z.regexes.unicodeEmail })

/** Common misspellings of domains, with the intended one. None of them receives mail for an actual office. */
const misspellings = new Map(
  [
    ['gmail.com', 'gmial.com gmai.com gmal.com gamil.com gnail.com gmaill.com'],
    ['gmail.com', 'gmail.co gmail.con gmail.cm gmail.co.nz gmail.com.au'],
    ['hotmail.com', 'hotmial.com hotmal.com hotmai.com hotmail.con'],
    ['outlook.com', 'outlok.com outloook.com outlook.con'],
    ['icloud.com', 'iclod.com icoud.com icloud.con'],
    ['yahoo.com', 'yaho.com yahooo.com yhaoo.com yahoo.con'],
    ['xtra.co.nz', 'xtra.co xtra.con.nz extra.co.nz'],
    ['bigpond.com', 'bigpond.con bigpnd.com']
  ].flatMap(([meant = '', typed = '']) => typed.split(' ').map((slip) => [slip, meant]))
)

/** Misspellings of .com that aren't top-level domains. */
const MISSPELT_COM = /\.(?:con|cmo|ocm|vom|xom|comm)$/

/** A domain label: letters of any script, digits and, inside, hyphens. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u

/** Returns whether mail could be delivered to the address at all; stricter than the model about the domain. */
export function isEmail(address: string): boolean {
  const typed = address.trim()
  return (
    email.safeParse(typed).success &&
    domainOf(typed)
      .split('.')
      .every((label) => LABEL.test(label))
  )
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

/** Returns the domain probably meant by this one, which may be misspelt before its ending as well as in it. */
function meantBy(domain: string): string {
  const ending = domain.replace(MISSPELT_COM, '.com')
  return misspellings.get(domain) ?? misspellings.get(ending) ?? ending
}

/** Returns the problems of a required address. */
export function problemsOfEmail(at: string, address: string): Problem[] {
  const typed = address.trim()
  if (!typed) return [error(at, 'Enter an e-mail address.')]
  const domain = domainOf(typed)
  if (typed.includes('@') && domain.includes(',')) {
    return [error(at, 'There’s a comma after the @. Should it be a dot?')]
  }
  if (!isEmail(typed)) return [error(at, 'This isn’t an e-mail address. Write it like name@example.com.')]
  const meant = meantBy(domain)
  if (meant !== domain) return [warning(at, `Did you mean ${meant}? This address ends in ${domain}.`)]
  // Only a warning: addresses within an organisation may have no ending.
  return domain.includes('.') ? [] : [warning(at, 'This address seems to be missing its ending, such as .com or .nz.')]
}
