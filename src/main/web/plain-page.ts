/** A page without style or script for a visitor who has no session. `paragraphs` are texts of ours, never of a request. */
export const plainPage = (title: string, ...paragraphs: readonly string[]): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Bursar</title><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</html>\n`;

const NEW_ADDRESS = 'Run <code>npm run -s bursar -- dashboard</code> in the folder of Bursar; it prints a new address.';

export const TOKEN_USED_PAGE = plainPage('This address was used already', NEW_ADDRESS, 'A browser that opened it before can go to <a href="/">the dashboard</a>.');
export const NO_SESSION_PAGE = plainPage('This browser is not signed in', NEW_ADDRESS);
export const NOT_FOUND_PAGE = plainPage('There is no such page');
export const WRONG_HOST_PAGE = plainPage('This address is not served', 'Use the address that Bursar printed; it begins with <code>http://localhost</code>.');
