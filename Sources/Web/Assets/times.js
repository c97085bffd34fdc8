// Times that a server wrote are shown by the clock and in the language of the reader. Shared by the page and the desk.
'use strict';
function localTimes(within) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of within.querySelectorAll('time[datetime]')) if (time.dateTime) time.textContent = format.format(new Date(time.dateTime));
}
