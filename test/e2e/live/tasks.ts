// Forty tasks with one right call each, the tools for them, and six questions to the built-in agent. Data only; grading is grade.ts's.
import { exchange, has, plain, task, text, tool, weather, worth } from "./taskForms.ts";

export const TOOLS = [
  tool(
    "get_weather",
    "Get the current weather for a city.",
    { city: text("Name of the city"), unit: text("Temperature unit", { enum: ["celsius", "fahrenheit"] }) },
    ["city"],
  ),
  tool("calculate", "Evaluate an arithmetic expression.", { expression: text("The expression, such as 2 + 3 * 4") }, [
    "expression",
  ]),
  tool(
    "web_search",
    "Search the web for information.",
    {
      query: text("What to search for"),
      max_results: { type: "integer", description: "How many results", minimum: 1, maximum: 50 },
    },
    ["query"],
  ),
  tool(
    "create_event",
    "Create an event in the user's calendar.",
    {
      title: text("Title of the event"),
      date: text("Date as YYYY-MM-DD"),
      time: text("Start time as HH:MM, 24 hours"),
    },
    ["title", "date", "time"],
  ),
  tool(
    "convert_currency",
    "Convert an amount of money from one currency to another.",
    {
      amount: { type: "number", description: "The amount" },
      from: text("ISO 4217 code of the source currency, such as USD"),
      to: text("ISO 4217 code of the target currency, such as EUR"),
    },
    ["amount", "from", "to"],
  ),
  tool(
    "set_reminder",
    "Set a reminder for the user.",
    { text: text("What to be reminded of"), minutes: { type: "integer", description: "In how many minutes from now" } },
    ["text", "minutes"],
  ),
  tool(
    "translate",
    "Translate a text into another language.",
    { text: text("The text to translate"), target_language: text("The target language in English, such as French") },
    ["text", "target_language"],
  ),
  tool("get_stock_price", "Get the latest price of a stock.", { symbol: text("Ticker symbol, such as AAPL") }, [
    "symbol",
  ]),
];

export const TASKS = [
  task("What's the weather in Oslo?", "get_weather", weather("oslo")),
  task("Tell me the current weather in Nairobi in celsius.", "get_weather", weather("nairobi", "celsius")),
  task("How hot is it in Phoenix right now? Use fahrenheit.", "get_weather", weather("phoenix", "fahrenheit")),
  task("Is it raining in Seattle at the moment?", "get_weather", weather("seattle")),
  task("I'm travelling to Buenos Aires today. What is the weather like there?", "get_weather", weather("buenos aires")),
  task("What is 17 times 23?", "calculate", worth(391)),
  task("Calculate (48 + 12) / 5.", "calculate", worth(12)),
  task("Please compute 1234 minus 987.", "calculate", worth(247)),
  task("What do you get if you add 3.5 and 4.25 and multiply the result by 2?", "calculate", worth(15.5)),
  task("Evaluate the expression 2 * 3 * 4 * 5.", "calculate", worth(120)),
  task("Search the web for the history of the Eiffel Tower.", "web_search", (input) => has(input.query, "eiffel")),
  task(
    "Find me 5 results on the web about electric bicycles.",
    "web_search",
    (input) => has(input.query, "electric bi") && input.max_results === 5,
  ),
  task("Look up online who won the 2022 football World Cup.", "web_search", (input) => has(input.query, "world cup")),
  task("Search for vegan lasagna recipes.", "web_search", (input) => has(input.query, "vegan lasagna")),
  task(
    "Do a web search for 'Rust borrow checker explained' and give me 3 results.",
    "web_search",
    (input) => has(input.query, "rust borrow checker") && input.max_results === 3,
  ),
  task(
    "Create a calendar event titled Dentist on 2025-03-14 at 09:30.",
    "create_event",
    (input) => has(input.title, "dentist") && input.date === "2025-03-14" && input.time === "09:30",
  ),
  task(
    "Put 'Team meeting' into my calendar for 2025-06-02 at 14:00.",
    "create_event",
    (input) => has(input.title, "team meeting") && input.date === "2025-06-02" && input.time === "14:00",
  ),
  task(
    "Schedule lunch with Maria on 2025-01-20, 12:15.",
    "create_event",
    (input) => has(input.title, "lunch") && input.date === "2025-01-20" && input.time === "12:15",
  ),
  task(
    "Add an event called Yoga class on 2025-09-01 at 6:30 pm.",
    "create_event",
    (input) => has(input.title, "yoga") && input.date === "2025-09-01" && input.time === "18:30",
  ),
  task(
    "Book the event 'Flight to Rome' in my calendar: date 2025-12-05, time 07:45.",
    "create_event",
    (input) => has(input.title, "flight to rome") && input.date === "2025-12-05" && input.time === "07:45",
  ),
  task("Convert 100 USD to EUR.", "convert_currency", exchange(100, "usd", "eur")),
  task("How much is 250 British pounds (GBP) in Japanese yen (JPY)?", "convert_currency", exchange(250, "gbp", "jpy")),
  task("Change 75.5 EUR into CHF.", "convert_currency", exchange(75.5, "eur", "chf")),
  task(
    "What are 1,000 Swedish kronor (SEK) worth in US dollars (USD)?",
    "convert_currency",
    exchange(1000, "sek", "usd"),
  ),
  task("I have 42 CAD. How many AUD is that?", "convert_currency", exchange(42, "cad", "aud")),
  task(
    "Remind me to call mom in 30 minutes.",
    "set_reminder",
    (input) => has(input.text, "mom") && input.minutes === 30,
  ),
  task(
    "Set a reminder in 5 minutes: turn off the oven.",
    "set_reminder",
    (input) => has(input.text, "oven") && input.minutes === 5,
  ),
  task(
    "In 90 minutes, remind me to water the plants.",
    "set_reminder",
    (input) => has(input.text, "plants") && input.minutes === 90,
  ),
  task(
    "Please remind me to take my pills in 2 hours.",
    "set_reminder",
    (input) => has(input.text, "pills") && input.minutes === 120,
  ),
  task(
    "Reminder in 15 minutes to check the laundry.",
    "set_reminder",
    (input) => has(input.text, "laundry") && input.minutes === 15,
  ),
  task(
    "Translate 'good morning' into French.",
    "translate",
    (input) => plain(input.text) === "good morning" && plain(input.target_language) === "french",
  ),
  task(
    "How do you say 'thank you very much' in Japanese? Use the translator.",
    "translate",
    (input) => plain(input.text) === "thank you very much" && plain(input.target_language) === "japanese",
  ),
  task(
    'Translate the sentence "Where is the train station?" to Spanish.',
    "translate",
    (input) => plain(input.text) === "where is the train station" && plain(input.target_language) === "spanish",
  ),
  task(
    "Please translate 'I am hungry' to German.",
    "translate",
    (input) => plain(input.text) === "i am hungry" && plain(input.target_language) === "german",
  ),
  task(
    "Translate \"He said: 'stop!'\" into Italian.",
    "translate",
    (input) => has(input.text, "he said", "stop") && plain(input.target_language) === "italian",
  ),
  task("What is the stock price of AAPL?", "get_stock_price", (input) => plain(input.symbol) === "aapl"),
  task(
    "Get me the latest price of the stock with ticker MSFT.",
    "get_stock_price",
    (input) => plain(input.symbol) === "msft",
  ),
  task("How is NVDA trading right now?", "get_stock_price", (input) => plain(input.symbol) === "nvda"),
  task("Current share price for ticker TSLA, please.", "get_stock_price", (input) => plain(input.symbol) === "tsla"),
  task("Look up the price of GOOG stock.", "get_stock_price", (input) => plain(input.symbol) === "goog"),
];

/** Questions to `/v1/agent`, and what a right answer holds. */
export const QUESTIONS: readonly { readonly question: string; readonly answer: RegExp }[] = [
  { question: "What is 6 times 7? Use the calculator.", answer: /42/ },
  { question: "What is 1234 times 5678? Use the calculator.", answer: /7,?006,?652/ },
  { question: "What is (12 + 8) * 3?", answer: /60/ },
  { question: "What is the square root of 1764?", answer: /42/ },
  { question: "What time is it in Tokyo now? Use the clock.", answer: /\d:\d\d/ },
  {
    question: "Which weekday is it today in UTC?",
    answer: new RegExp(new Date().toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }), "i"),
  },
];
