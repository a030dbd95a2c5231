/** E-mail addresses: what can't be one is an error, what hardly is the one that was meant a warning. */
import { z } from 'zod'
import { error, type Problem, warning } from './problem.ts'

const email = z.email({ pattern: z.regexes.unicodeEmail })

/** Slips that are seen again and again, each with what was meant. None of them takes mail for someone's office. */
const slips = new Map(
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

/** Endings that no country and nobody else has, typed for the commonest one. */
const MISSPELT_COM = /\.(?:con|cmo|ocm|vom|xom|comm)$/

/** Letters of any script, digits and, inside, hyphens: what stands between two dots of a domain. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u

/** Whether mail could be sent there at all; stricter than the model about what follows the @. */
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

/** What is wrong with an address that is needed. */
export function problemsOfEmail(at: string, address: string): Problem[] {
  const typed = address.trim()
  if (!typed) return [error(at, 'Enter an e-mail address.')]
  const domain = domainOf(typed)
  if (typed.includes('@') && domain.includes(',')) {
    return [error(at, 'There’s a comma after the @. Should it be a dot?')]
  }
  if (!isEmail(typed)) return [error(at, 'This isn’t an e-mail address. Write it like name@example.com.')]
  const meant = slips.get(domain) ?? (MISSPELT_COM.test(domain) ? domain.replace(MISSPELT_COM, '.com') : undefined)
  if (meant) return [warning(at, `Did you mean ${meant}? This address ends in ${domain}.`)]
  // Addresses within an organisation may lack one: a warning, not a bar.
  return domain.includes('.') ? [] : [warning(at, 'This address seems to lack an ending, such as .com or .nz.')]
}
